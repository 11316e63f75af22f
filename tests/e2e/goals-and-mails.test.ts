import { buildConsole, consoleDirectory } from '@tributary/console/build.ts';
import { addMember, createPasswords, createUser } from '@tributary/domain/tenancy/accounts/module.ts';
import { buildApiKey, openTestWithClickHouse, operatorOf, scene } from '@tributary/testkit';
import { sql } from 'kysely';
import type { BrowserContextOptions } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { openBrowser } from './browser.ts';
import { visit } from './console-scene.ts';
import { confirm } from './set-up-as-owner.ts';
import { accessFaults } from './walk.ts';

const password = 'vague otter lamp';
await buildConsole();
const world = await openTestWithClickHouse({ consoleDirectory });
const { kit, api } = world;
kit.clock.set(new Date());
const baseUrl = await api.fastify.listen({ host: '127.0.0.1', port: 0 });
const browser = await openBrowser();
afterAll(() => browser.close());
const shop = await scene(world, { scopes: ['campaigns:read', 'attribution:write'] });
const tools = { operator: operatorOf(kit), passwords: createPasswords(10) };
for (const role of ['owner', 'viewer'] as const) {
  await createUser(tools, { email: `${role}@example.com`, name: role, password });
  await addMember(tools, { workspaceId: shop.workspaceId, email: `${role}@example.com`, role });
}
const { headers } = await buildApiKey(kit.app, shop.profileId, { scopes: ['attribution:write'] });
const yesterday = new Date(Date.now() - 86_400_000).toISOString();
let sent = 0;
const send = async (event_name: string) => {
  sent += 1;
  const payload = { event_name, occurred_at: yesterday, user_traits: { external_id: `c-${sent}` } };
  const answer = await api.call({ method: 'POST', url: '/api/v1/events', headers: { ...headers }, payload });
  expect(answer.statusCode).toBe(202);
};
for (const name of ['Brochure, printed', 'Brochure, printed', 'lead_created', 'Call: no answer']) await send(name);

async function open(page: string, role: 'owner' | 'viewer' = 'owner', options: BrowserContextOptions = {}) {
  const visited = await visit(browser, baseUrl, options);
  await visited.page.goto(`${baseUrl}/p/${shop.profileId}/${page}`);
  await visited.page.locator('input[type=email]').fill(`${role}@example.com`);
  await visited.page.locator('input[type=password]').fill(password);
  await visited.page.locator('button[type=submit]').click();
  await visited.page.getByRole('heading', { level: 1 }).waitFor();
  return visited;
}

const picture = async (page: Awaited<ReturnType<typeof open>>['page'], name: string) => {
  if (process.env.SCREENSHOTS)
    await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png`, fullPage: true });
};

test('a goal is created from an unmapped event, edited in place and removed', async () => {
  const { page, complaints } = await open('goals');
  const uncounted = page.getByRole('region', { name: 'Events that count nowhere' });
  await uncounted.getByText(/^Received in 30 days: 2,/).waitFor();
  expect(await uncounted.getByRole('listitem').count()).toBe(2);
  await picture(page, 'goals');
  await uncounted.getByRole('button', { name: 'Create goal from Brochure, printed' }).click();
  const dialog = page.getByRole('dialog');
  await picture(page, 'goal-create');
  await dialog.getByRole('button', { name: 'Save goal' }).click();
  await dialog.waitFor({ state: 'detached' });
  const row = page.locator('tbody tr').filter({ hasText: 'brochure, printed' });
  await expect.poll(() => row.textContent()).toContain('2last');
  expect(await uncounted.getByRole('listitem').count()).toBe(1);

  await row.getByRole('button', { name: 'Edit Brochure, printed' }).click();
  await dialog.getByLabel('Name').fill('Printed brochure');
  await dialog.getByLabel('Attribution window, days').fill('14');
  expect(await accessFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save goal' }).click();
  await expect.poll(() => row.textContent()).toContain('14 days');
  // The comma in the event's name does not split it while the events are unchanged.
  expect(await row.textContent()).toContain('Printed brochurebrochure, printed');

  await row.getByRole('button', { name: 'Remove Printed brochure' }).click();
  await confirm(page, 'Remove');
  await row.waitFor({ state: 'detached' });
  await expect.poll(() => uncounted.getByRole('listitem').count()).toBe(2);
  expect(await page.getByRole('button', { name: 'Remove payment received' }).count()).toBe(0);
  expect(complaints).toEqual([]);

  const spanish = await open('goals', 'owner', {
    locale: 'es-CL',
    colorScheme: 'dark',
    viewport: { width: 390, height: 844 },
  });
  await spanish.page.getByText(/^Recibidos en 30 días: 2,/).waitFor();
  await picture(spanish.page, 'goals-es-dark-phone');
  expect(await accessFaults(spanish.page)).toEqual([]);
});

test('a viewer sees received events and cannot change goals', async () => {
  const { page } = await open('goals', 'viewer');
  await page.getByText(/^Received in 30 days: 2,/).waitFor();
  for (const name of [/^Edit/, /^Remove/, /^Create goal/, 'Save goal'])
    expect(await page.getByRole('button', { name }).count()).toBe(0);
});

test('a report mail is previewed as it will look, and sent immediately', async () => {
  const { page, complaints } = await open('report-mails');
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Preview of the mail' });
  await dialog.getByRole('heading', { level: 1 }).waitFor();
  // The mail's own styles apply, although the content security policy blocks style attributes.
  type Window = { getComputedStyle(of: unknown): { readonly fontSize: string } };
  const title = dialog.getByRole('heading', { level: 1 });
  const size = await title.evaluate((of) => (globalThis as never as Window).getComputedStyle(of).fontSize);
  expect(size).toBe('20px');
  await picture(page, 'mail-preview');
  expect(await accessFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Have it sent' }).click();
  const line = page.getByRole('listitem').filter({ hasText: 'every Monday' });
  await line.getByRole('button', { name: /^Send .* now$/ }).click();
  await confirm(page, 'Send now');
  await line.getByText('It is being sent.').waitFor();
  await expect.poll(() => line.textContent()).toContain('not sent yet to 1');
  await picture(page, 'mail-sent');
  const waiting = sql`SELECT FROM report_mail_deliveries WHERE state = 'waiting'`;
  const rows = await kit.app.forProfile(shop.profileId).transaction((tx) => waiting.execute(tx));
  expect(rows.rows).toHaveLength(1);
  expect(complaints).toEqual([]);
});
