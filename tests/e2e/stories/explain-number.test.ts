import { expect, test } from 'vitest';
import { expectFigure, figure } from './report.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openAdvertisingShop } from './shop-server.ts';

test('a campaign figure is explained down to a conversion and its touches', async () => {
  const shop = await openAdvertisingShop(await sharedInstallation());
  const { page, step, complaints } = shop.owner;
  const explanation = page.getByRole('region', { name: 'Explanation' });

  await step('Choose the linear model', async () => {
    await expectFigure(page, shop.url('campaigns'), figure(page, 'Revenue', 'Boots search'), '$200.00');
    await page.getByLabel('Model', { exact: true }).selectOption('Linear');
    await figure(page, 'Revenue', 'Winter video').filter({ hasText: '$100.00' }).waitFor();
  });

  await step('Click the revenue of a campaign', async () => {
    await figure(page, 'Revenue', 'Winter video').click();
    await page.getByRole('dialog', { name: 'Revenue, Winter video' }).waitFor();
    await explanation.getByRole('row', { name: 'All 2 together $100.00' }).waitFor();
    await explanation.getByRole('row', { name: 'The figure in the report $100.00' }).waitFor();
  });

  await step('Each conversion shows what every touch earned', async () => {
    const conversions = explanation.getByRole('region', { name: 'Conversions' }).locator('ol > li.card');
    expect(await conversions.count()).toBe(2);
    const ana = conversions.filter({ hasText: 'Paid $120.00.' });
    expect(await ana.locator('[data-contributes]').getAttribute('data-contributes')).toMatch(/^60\.?0*$/);
    const touches = ana.getByRole('listitem');
    expect(await touches.count()).toBe(2);
    await touches.filter({ hasText: 'Winter video' }).getByText('50%$60.00').waitFor();
    await touches.filter({ hasText: 'Boots search' }).getByText('50%$60.00').waitFor();
  });

  await step('Open the journey of one conversion', async () => {
    const ana = explanation.locator('li.card').filter({ hasText: 'Paid $120.00.' });
    await ana.getByRole('link', { name: 'Its journey, under six models' }).click();
    await page.getByRole('heading', { name: 'Journey of a conversion', level: 1 }).waitFor();
    await page.getByText('Payment received · $120.00').waitFor();
    const touches = page.getByRole('region', { name: 'What earned it' }).locator('tbody tr');
    const shares = async (ad: string) =>
      (await touches.filter({ hasText: ad }).getByRole('cell').allTextContents()).slice(0, 2);
    // Under last touch and first touch.
    await expect.poll(() => shares('Winter video')).toEqual(['0%', '100%']);
    expect(await shares('Boots search')).toEqual(['100%', '0%']);
  });

  await step('Its journey leads to the customer', async () => {
    await page.getByRole('link', { name: 'somebody without a name' }).click();
    await page.getByRole('heading', { name: 'ana@example.com', level: 1 }).waitFor();
  });
  expect(complaints).toEqual([]);
});
