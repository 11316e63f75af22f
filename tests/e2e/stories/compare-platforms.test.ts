import { expect, test } from 'vitest';
import { expectFigure, figure } from './report.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openAdvertisingShop } from './shop-server.ts';

test('an analyst compares what platforms claim with what is credited, and explains the gap', async () => {
  const shop = await openAdvertisingShop(await sharedInstallation());
  const { server } = shop;
  // Both platforms claim both sales.
  await server.spend('video', server.daysAgo(1), '0', { conversions: 2, conversion_value: '200.00' });
  await server.spend('search', server.daysAgo(1), '0', { conversions: 2, conversion_value: '200.00' });
  const { page, step, complaints } = await shop.member('analyst');
  const bars = page.getByRole('region', { name: 'Their count and ours' });
  const platform = (name: string) => bars.locator('ul > li').filter({ has: page.getByRole('heading', { name }) });

  await step('Meta claims what is credited to Google Ads', async () => {
    await expectFigure(page, shop.url('platforms'), figure(page, 'Our payments', 'Boots search'), '2');
    await platform('Meta Ads').getByText('It claims what we credit to nobody here.').waitFor();
    await platform('Google Ads').getByText('Its claim and ours agree.').waitFor();
  });

  await step('Under first touch it is the other way round', async () => {
    await page.getByLabel('Model', { exact: true }).selectOption('First touch');
    await platform('Meta Ads').getByText('Its claim and ours agree.').waitFor();
    await platform('Google Ads').getByText('It claims what we credit to nobody here.').waitFor();
  });

  await step('Compare the money', async () => {
    await bars
      .getByRole('button', { name: 'Money' })
      .or(bars.getByRole('radio', { name: 'Money' }))
      .first()
      .click();
    await platform('Google Ads')
      .getByRole('link', { name: /^\$200\.00: Platform’s value/ })
      .waitFor();
  });

  await step('Explain the gap of a campaign', async () => {
    const gap = figure(page, 'Gap', 'Boots search');
    expect(await gap.textContent()).toMatch(/^[-−]2$/);
    await gap.click();
    await page.getByRole('dialog', { name: 'Gap, Boots search' }).waitFor();
    const explanation = page.getByRole('region', { name: 'Explanation' });
    await explanation.getByText('Days as the platform told them').waitFor();
    await explanation.getByRole('row', { name: /The figure in the report [-−]2/ }).waitFor();
  });
  expect(complaints).toEqual([]);
});
