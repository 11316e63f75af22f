import { minuteMs } from '@tributary/vocabulary';
import { expect, test } from 'vitest';
import { expectFigure, figure } from './report.ts';
import { advancingInstallation } from './shared-installation.ts';
import { openShopServer } from './shop-server.ts';

/** Records are final, so that a month can be closed and changes explained, ten minutes later. */
const settledMs = 11 * minuteMs;

test('an owner closes a month, and a late payment is marked beside the closed figure', async () => {
  const installation = await advancingInstallation();
  const workspace = await installation.openWorkspace();
  const server = await openShopServer(installation, workspace);
  const now = installation.now();
  const ofLastMonth = (day: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, day, 12)).toISOString();
  await server.spend('video', ofLastMonth(3), '50.00');
  await server.lead('ana@example.com', 'video', ofLastMonth(5));
  await server.payment('ana@example.com', '200.00', ofLastMonth(9));
  const { page, step, complaints } = workspace.owner;
  const revenue = figure(page, 'Revenue', 'Winter video');
  const chooseLastMonth = () => page.getByLabel('Days', { exact: true }).selectOption('Last month');
  let report = '';

  await step('Choose last month', async () => {
    await page.goto(workspace.url('campaigns'));
    await chooseLastMonth();
    await page.waitForURL(/from=/);
    report = page.url();
    await expectFigure(page, report, revenue, '$200.00');
  });

  await step('Close the month', async () => {
    await installation.advance(settledMs);
    await page.getByRole('button', { name: 'Close this month' }).click();
    await page.getByText(/^Closed on /).waitFor();
    expect(await page.getByRole('button', { name: 'Close this month' }).count()).toBe(0);
  });

  await step('A late payment of the month is marked', async () => {
    await server.payment('ana@example.com', '50.00', ofLastMonth(20));
    await expectFigure(page, report, revenue, '$250.00');
    await page.getByRole('img', { name: '$200.00 when the month was closed' }).waitFor({ state: 'attached' });
  });

  await step('The explanation leads from the closed figure to the present one', async () => {
    await installation.advance(settledMs);
    await page.goto(report);
    await revenue.click();
    const changes = page.getByRole('table', { name: 'Changes since then' });
    await expect
      .poll(() => changes.getByRole('row').allTextContents())
      .toEqual(['As it stood$200.00', '1 payment was recorded later$50.00', 'As it stands$250.00']);
  });

  await step('The closed month keeps its figure', async () => {
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('img', { name: '$200.00 when the month was closed' }).waitFor({ state: 'attached' });
    await page.getByText(/^Closed on /).waitFor();
  });
  expect(complaints).toEqual([]);
});
