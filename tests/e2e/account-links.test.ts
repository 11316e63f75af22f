import { buildConsole, consoleDirectory } from '@tributary/console/build.ts';
import {
  addMember,
  createPasswords,
  createUser,
  sendPasswordReset,
} from '@tributary/domain/tenancy/accounts/module.ts';
import { createMailer } from '@tributary/outbound';
import { buildProfile, freePort, openApi, openKit, operatorOf } from '@tributary/testkit';
import { startMailServer } from '@tributary/testkit/mail-server';
import axe from 'axe-core';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { openBrowser } from './browser.ts';
import { visit } from './console-scene.ts';

const password = 'vague otter lamp';
const kit = await openKit();
kit.clock.set(new Date());
const port = await freePort();
const baseUrl = `http://localhost:${port}`;
await buildConsole();
const mails = await startMailServer();
const mailer = createMailer({ url: mails.url, from: 'Tributary <no-reply@tributary.test>' });
const api = await openApi(kit, { baseUrl, consoleDirectory });
await api.fastify.listen({ host: '127.0.0.1', port });
const browser = await openBrowser();
afterAll(async () => {
  await browser.close();
  await api.close();
  mailer.close();
  await mails.stop();
});

const tools = { operator: operatorOf(kit), passwords: createPasswords(10) };
const profile = await buildProfile(kit.app);
await createUser(tools, { email: 'ana@example.com', name: 'Ana', password });
await addMember(tools, { workspaceId: profile.workspaceId, email: 'ana@example.com', role: 'owner' });

async function signIn(page: Page, email: string, secret = password): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Creates an invitation and reads its link from the team page. */
async function invite(): Promise<string> {
  const { page } = await visit(browser, baseUrl);
  await page.goto(`${baseUrl}/p/${profile.id}/team`);
  await signIn(page, 'ana@example.com');
  await page.getByRole('button', { name: 'Make a link' }).click();
  const url = await page.locator('code').filter({ hasText: 'trib_inv_' }).textContent();
  await page.context().close();
  return url ?? '';
}

async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
    violations: { id: string }[];
  };
  return violations.map(({ id }) => id);
}

/** Rejected input is a 4xx, and the reports behind these pages have no ClickHouse here; Chromium logs both as errors. */
const ownComplaints = (lines: readonly string[]) => lines.filter((line) => !/status of (400|422|503)/.test(line));

const picture = async (page: Page, name: string) => {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png` });
};

test('an invitation link opens a page that creates an account and opens the workspace', async () => {
  const url = await invite();
  const { page, complaints } = await visit(browser, baseUrl);
  const response = await page.goto(url);
  expect([response?.status(), response?.headers()['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  await page.getByText('Ana invited you as viewer.').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await picture(page, 'invitation');
  await page.getByLabel('Your name').fill('Eva');
  await page.getByLabel('E-mail').fill('eva@example.com');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create account and join' }).click();
  await page.waitForURL(`**/p/${profile.id}/overview**`);

  // Opened again, the used link says so.
  const again = await visit(browser, baseUrl);
  await again.page.goto(url);
  await again.page.getByText('It was already accepted. If that was you, sign in.').waitFor();
  await picture(again.page, 'invitation-used');
  expect(ownComplaints(complaints)).toEqual([]);
});

test('a member of another workspace signs in on the way and joins with the existing account', async () => {
  const url = await invite();
  await createUser(tools, { email: 'luz@example.com', name: 'Luz', password });
  const { page } = await visit(browser, baseUrl, { locale: 'es-CL', viewport: { width: 390, height: 844 } });
  await page.goto(url);
  await page.getByRole('link', { name: 'Ya tengo cuenta: iniciar sesión' }).click();
  await page.getByLabel('Correo electrónico').fill('luz@example.com');
  await page.getByLabel('Contraseña').fill(password);
  await page.getByRole('button', { name: 'Iniciar sesión' }).click();
  await page.getByText('Has iniciado sesión como luz@example.com.').waitFor();
  await page.getByRole('button', { name: 'Unirse al espacio' }).click();
  await page.waitForURL(`**/p/${profile.id}/overview**`);
  const membership = await page.request.get(`${baseUrl}/api/v1/account`);
  expect((await membership.json()).data.memberships).toHaveLength(1);
});

test('an expired invitation and one for another address say why they cannot be used', async () => {
  const expired = await invite();
  const { page } = await visit(browser, baseUrl);
  kit.clock.set(new Date(Date.now() + 8 * 86_400_000));
  await page.goto(expired);
  await page.getByText('It has expired. Ask for a new invitation.').waitFor();
  kit.clock.set(new Date());

  await page.goto(`${baseUrl}/sign-in?next=/account`);
  await signIn(page, 'ana@example.com');
  await page.getByText('Where you are signed in').waitFor();
  const other = await page.request.post(`${baseUrl}/api/v1/workspaces/${profile.workspaceId}/invitations`, {
    data: { role: 'viewer', email: 'someone@example.com' },
    headers: { origin: baseUrl },
  });
  await page.goto((await other.json()).data.url);
  await page.getByText('This invitation is for someone@example.com.').waitFor();
  expect(await page.getByRole('button', { name: 'Join workspace' }).count()).toBe(0);
});

/** Processes the queued requests as the worker does. */
async function sendResets(): Promise<void> {
  const { rows } = await kit.system.unbound.query(
    sql<{ data: { userId: string; language: 'en' | 'es' } }>`
      DELETE FROM pgboss.job WHERE name = 'send-password-reset' RETURNING data`,
  );
  for (const { data } of rows) await sendPasswordReset({ app: kit.app, mailer, baseUrl, now: () => new Date() }, data);
}

test('a forgotten password is reset by a mailed link, and all sessions end', async () => {
  const { page: old } = await visit(browser, baseUrl);
  await old.goto(`${baseUrl}/sign-in?next=/account`);
  await signIn(old, 'ana@example.com');
  await old.getByText('Where you are signed in').waitFor();

  const { page, complaints } = await visit(browser, baseUrl);
  await page.goto(`${baseUrl}/sign-in`);
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  // An address without an account gets the same response and no mail.
  const answers: string[] = [];
  for (const email of ['nobody@example.com', 'ana@example.com']) {
    await page.goto(`${baseUrl}/forgot-password`);
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Send reset link' }).click();
    answers.push((await page.getByRole('status').textContent()) ?? '');
  }
  await picture(page, 'forgot-password');
  expect(answers[0]).toBe(answers[1]);
  await sendResets();
  expect(mails.received.map(({ to }) => to)).toEqual(['ana@example.com']);
  const url = /http:\/\/localhost:\d+\/reset-password#trib_reset_\w+/.exec(mails.received[0]?.text ?? '')?.[0] ?? '';

  await page.goto(url);
  await page.getByLabel('New password').fill('short');
  await page.getByRole('button', { name: 'Save password' }).click();
  await page.getByRole('alert').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await picture(page, 'reset-password');
  const next = 'slow violet harbor';
  await page.getByLabel('New password').fill(next);
  await page.getByRole('button', { name: 'Save password' }).click();
  await page.getByText('Your password is changed').waitFor();
  await old.reload();
  await old.getByLabel('E-mail').waitFor();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await signIn(page, 'ana@example.com', next);
  await page.waitForURL(`**/p/${profile.id}/**`);

  const again = await visit(browser, baseUrl);
  await again.page.goto(url);
  await again.page.getByLabel('New password').fill('another long one');
  await again.page.getByRole('button', { name: 'Save password' }).click();
  await again.page.getByText('This reset link has expired or was used.').waitFor();
  expect(ownComplaints(complaints)).toEqual([]);
});

test('without a mail server the reset page names the command that the operator runs', async () => {
  const without = await freePort();
  const bare = await openApi(kit, { baseUrl: `http://localhost:${without}`, consoleDirectory, isMailSetUp: false });
  try {
    await bare.fastify.listen({ host: '127.0.0.1', port: without });
    const { page } = await visit(browser, `http://localhost:${without}`);
    await page.goto(`http://localhost:${without}/forgot-password`);
    await page.getByLabel('E-mail').fill('ana@example.com');
    await page.getByRole('button', { name: 'Send reset link' }).click();
    await page.getByText('tributary user reset').waitFor();
    expect(mails.received.length).toBeLessThan(2);
  } finally {
    await bare.close();
  }
});
