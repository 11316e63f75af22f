import { hourMs, minuteMs } from '@tributary/vocabulary';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectFigure, figure } from './report.ts';
import { advancingInstallation } from './shared-installation.ts';
import { openShopServer } from './shop-server.ts';

test('an analyst reads why a figure differs from the day before: a refund and a late payment', async () => {
  const installation = await advancingInstallation();
  const workspace = await installation.openWorkspace();
  const server = await openShopServer(installation, workspace);
  const { daysAgo } = server;
  const yesterday = daysAgo(0).slice(0, 10);
  await server.spend('video', daysAgo(4), '50.00');
  await server.lead('ana@example.com', 'video', daysAgo(3));
  await server.payment('ana@example.com', '120.00', daysAgo(2), 'order-1');
  const revenueOf = (page: Page) => figure(page, 'Revenue', 'Winter video');
  await expectFigure(workspace.owner.page, workspace.url('campaigns'), revenueOf(workspace.owner.page), '$120.00');

  // Reports are stored as of the end of each day, so the story continues on the next day.
  await installation.advance(26 * hourMs);
  const { page, step, complaints } = await workspace.member('analyst');
  const revenue = revenueOf(page);

  await step('The figure is another one', async () => {
    await server.refund('order-1', '30.00');
    await server.payment('ana@example.com', '45.00', daysAgo(1.5), 'order-2');
    await expectFigure(page, workspace.url('campaigns'), revenue, '$135.00');
  });

  await step('Choose the day before: the report is as it stood', async () => {
    await installation.advance(11 * minuteMs);
    await page.getByLabel('As it stood on').fill(yesterday);
    await expect.poll(() => revenue.textContent()).toBe('$120.00');
    await page.getByRole('img', { name: '$135.00 as it stands now' }).waitFor({ state: 'attached' });
  });

  await step('Click the figure: the causes are named', async () => {
    await revenue.click();
    const changes = page.getByRole('table', { name: 'Changes since then' });
    await expect.poll(() => changes.getByRole('row').count()).toBeGreaterThan(2);
    const rows = await changes.getByRole('row').allTextContents();
    expect(rows).toHaveLength(4);
    expect(rows).toContain('1 payment was refunded-$30.00');
    expect(rows).toContain('1 payment was recorded later$45.00');
    expect([rows[0], rows[3]]).toEqual(['As it stood$120.00', 'As it stands$135.00']);
    await page.getByRole('region', { name: 'Explanation' }).getByText('Worth $120.00.').waitFor();
  });

  await step('Return to the present', async () => {
    await page.getByRole('button', { name: 'As it stands' }).click();
    await expect.poll(() => revenue.textContent()).toBe('$135.00');
  });
  expect(complaints).toEqual([]);
});
