import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectFigure, figure } from './report.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openShopServer } from './shop-server.ts';

test('a report compares its days with the period before, the year before or nothing', async () => {
  const installation = await sharedInstallation();
  const shop = await installation.openWorkspace();
  const server = await openShopServer(installation, shop);
  for (const [days, value, spend] of [
    [365 + 10, '300.00', '100.00'],
    [40, '100.00', '50.00'],
    [10, '150.00', '60.00'],
  ] as const) {
    const at = server.daysAgo(days);
    await server.spend('video', at, spend);
    await server.lead(`customer-${days}@example.com`, 'video', at);
    await server.payment(`customer-${days}@example.com`, value, at);
  }
  const { page, step, complaints } = shop.owner;
  const compareWith = (days: string) => page.getByLabel('Compared with').selectOption(days);
  /** The tile of a figure, or its cell. */
  const changeOf = (shown: Locator) => shown.locator('..').locator('[title^="From "]');
  const revenue = figure(page, 'Revenue', 'all');

  await step('Overview compares with the period before', async () => {
    await expectFigure(page, shop.url('overview'), revenue, '$150.00');
    await expect.poll(() => changeOf(revenue).textContent()).toMatch(/\+50%/);
    expect(await changeOf(revenue).getAttribute('title')).toMatch(/^From \$100\.00, /);
    await expect.poll(() => changeOf(figure(page, 'Spend', 'all')).textContent()).toMatch(/\+20%/);
    expect(await changeOf(figure(page, 'ROAS', 'all')).textContent()).toMatch(/\+25%/);
  });

  await step('Compare with the year before', async () => {
    await compareWith('Year before');
    await expect.poll(() => changeOf(revenue).textContent()).toMatch(/[-−]50%/);
  });

  await step('Campaigns keeps the choice', async () => {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Campaigns' }).click();
    const ofCampaign = figure(page, 'Revenue', 'Winter video');
    await expect.poll(() => changeOf(ofCampaign).textContent()).toMatch(/[-−]50%/);
    expect(await changeOf(ofCampaign).getAttribute('title')).toMatch(/^From \$300\.00, /);
  });

  await step('Compare with nothing', async () => {
    await compareWith('No comparison');
    await changeOf(figure(page, 'Revenue', 'Winter video')).waitFor({ state: 'detached' });
  });

  await step('Choose days: they are compared with as many days before', async () => {
    await compareWith('Period before');
    await page.getByLabel('Days', { exact: true }).selectOption('Custom');
    await page.getByLabel('First day').fill(server.daysAgo(40).slice(0, 10));
    await page.getByLabel('Last day').fill(server.daysAgo(40).slice(0, 10));
    await expect.poll(() => figure(page, 'Revenue', 'Winter video').textContent()).toBe('$100.00');
    await changeOf(figure(page, 'Revenue', 'Winter video')).waitFor({ state: 'detached' });
  });
  expect(complaints).toEqual([]);
});
