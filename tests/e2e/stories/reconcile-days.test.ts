import { expect, test } from 'vitest';
import { expectFigure, figure } from './report.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openAdvertisingShop } from './shop-server.ts';

test('an owner compares the days of a report with the ledger and reads one of them', async () => {
  const shop = await openAdvertisingShop(await sharedInstallation());
  const { page, step, complaints } = shop.owner;
  const yesterday = shop.server.daysAgo(1).slice(0, 10);
  await expectFigure(page, shop.url('campaigns'), figure(page, 'Revenue', 'Boots search'), '$200.00');

  await step('Compare the days', async () => {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Reconciliation' }).click();
    await page.getByText('Nothing was compared yet').waitFor();
    await page.getByRole('button', { name: 'Compare these days now' }).click();
    await page.getByText(/: all books say the same/).waitFor();
  });

  await step('Open a day', async () => {
    const days = page.getByRole('list', { name: 'Days' }).getByRole('button', { name: 'right' });
    const [lead, payment] = await Promise.all([days.first().boundingBox(), days.last().boundingBox()]);
    // A week apart: the same weekday, one row below.
    expect(lead?.x).toBe(payment?.x);
    expect(lead?.y).toBeLessThan(payment?.y ?? 0);
    await days.last().click();
    const day = page.getByRole('region', { name: yesterday });
    await day.getByText('It adds up.').waitFor();
    await day.getByText('2 of $200.00 recorded, 2 of $200.00 in reports').waitFor();
    expect(await page.getByRole('region', { name: 'What differs' }).count()).toBe(0);
  });
  expect(complaints).toEqual([]);
});
