import { expect, test } from 'vitest';
import { expectFigure, figure } from './report.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openShopServer } from './shop-server.ts';

test('a marketer reads the payback period of a monthly cohort', async () => {
  const installation = await sharedInstallation();
  const workspace = await installation.openWorkspace();
  const server = await openShopServer(installation, workspace);
  const now = installation.now();
  const monthsAgo = (months: number, day: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, day, 12)).toISOString();
  await server.spend('video', monthsAgo(2, 2), '90.00');
  for (const email of ['ana@example.com', 'luis@example.com']) {
    await server.lead(email, 'video', monthsAgo(2, 3));
    await server.payment(email, '30.00', monthsAgo(2, 5));
  }
  await server.payment('ana@example.com', '40.00', monthsAgo(1, 7));
  const { page, step, complaints } = workspace.owner;
  const days = `?from=${monthsAgo(2, 1).slice(0, 10)}&to=${now.toISOString().slice(0, 10)}`;

  await step('Campaigns credits all payments', () =>
    expectFigure(page, `${workspace.url('campaigns')}${days}`, figure(page, 'Revenue', 'Winter video'), '$100.00'),
  );

  await step('Cohorts shows what the month has paid so far, and when it was paid back', async () => {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Cohorts' }).click();
    await page.getByRole('heading', { name: 'Cohorts', level: 1 }).waitFor();
    const row = page.locator('tbody tr').filter({ hasText: 'Winter video' });
    await row.waitFor();
    expect(await row.getByRole('cell').allTextContents()).toEqual([
      '2',
      '$100.00',
      '$90.00',
      '1 month',
      '$60.00',
      '$40.00',
    ]);
    expect(await page.locator('tbody tr').count()).toBe(1);
  });
  expect(complaints).toEqual([]);
});
