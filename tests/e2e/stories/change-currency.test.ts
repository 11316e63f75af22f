import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayMs } from '@tributary/vocabulary';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { openApiClient, paymentOf } from './open-api-client.ts';
import { sharedInstallation } from './shared-installation.ts';

const folder = mkdtempSync(join(tmpdir(), 'rates-'));
afterAll(() => rmSync(folder, { recursive: true }));

const day = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Reloads Overview for one day until it shows this revenue. */
async function expectRevenueOn(page: Page, url: string, revenue: string): Promise<void> {
  const shown = async () => {
    await page.goto(url);
    const figure = page.getByRole('link', { name: /: Revenue, all\. Explain$/ });
    return (await figure.textContent({ timeout: 20_000 }))?.replace(/\s/g, ' ');
  };
  await expect.poll(shown, { timeout: 60_000, interval: 500 }).toBe(revenue);
}

test('switch time zone and currency of a profile, and figures follow', async () => {
  const installation = await sharedInstallation();
  const workspace = await installation.openWorkspace();
  const { page, step, complaints } = workspace.owner;
  const server = await openApiClient(installation, workspace);
  // In UTC it is a day later than in Santiago.
  const at = Date.parse(`${day(Date.now() - 3 * dayMs)}T01:30:00Z`);
  const [utcDay, santiagoDay] = [day(at), day(at - dayMs)];
  const on = (date: string) => `${workspace.url('overview')}?from=${date}&to=${date}`;

  await step('The operator imports rates', async () => {
    const file = join(folder, 'rates.csv');
    const rows = Array.from({ length: 10 }, (_, ago) => `${day(Date.now() - ago * dayMs)},CLP,900`);
    writeFileSync(file, ['day,currency,per_usd', ...rows, ''].join('\n'));
    await installation.command('rates', 'import', file);
  });
  await step('Two payments in two currencies', async () => {
    const occurred_at = new Date(at).toISOString();
    await server.createEvent({ body: { ...paymentOf('order-1', '100.00', 'ana@example.com'), occurred_at } });
    const pesos = { value: '45000', currency: 'CLP' };
    await server.createEvent({
      body: { ...paymentOf('order-2', '45000', 'luis@example.com'), occurred_at, properties: pesos },
    });
    await expectRevenueOn(page, on(utcDay), '$150.00');
  });
  await step('Change the time zone', async () => {
    await page.goto(workspace.url('settings'));
    await page.getByLabel('Time zone').selectOption('America/Santiago');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expectRevenueOn(page, on(santiagoDay), '$150.00');
    await page.goto(on(utcDay));
    await page.getByText('Nothing was spent or earned in these days').waitFor();
  });
  await step('Change the currency', async () => {
    await page.goto(workspace.url('settings'));
    await page.getByLabel('Currency').selectOption('CLP');
    await page.getByRole('button', { name: 'Save and convert all money' }).click();
    await expectRevenueOn(page, on(santiagoDay), 'CLP 135,000');
  });
  await step('Payments keep what was paid', async () => {
    await page.goto(workspace.url('payments'));
    await page.getByText('$100.00').first().waitFor();
  });
  expect(complaints).toEqual([]);
});
