import { expect, test } from 'vitest';
import { faultsIn, optionsOf, settle } from '../walk.ts';
import { expectFigure, figure } from './report.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openAdvertisingShop } from './shop-server.ts';

const look = { language: 'en', theme: 'light', width: 390, name: 'phone' } as const;

test('a marketer reads the reports on a phone, from the menu to the touches of a conversion', async () => {
  const installation = await sharedInstallation();
  const shop = await openAdvertisingShop(installation);
  await expectFigure(
    shop.owner.page,
    shop.url('campaigns'),
    figure(shop.owner.page, 'Revenue', 'Boots search'),
    '$200.00',
  );
  const storageState = await shop.owner.page.context().storageState();
  const { page, step, complaints } = await installation.visitor({ ...optionsOf(look), hasTouch: true, storageState });
  const isReadable = async () => {
    await settle(page);
    expect(await faultsIn(page, look)).toEqual([]);
  };

  await step('Overview', async () => {
    await page.goto(shop.url('overview'));
    await figure(page, 'Revenue', 'all').filter({ hasText: '$200.00' }).waitFor();
    await isReadable();
  });

  await step('Open the menu and tap Campaigns', async () => {
    await page.getByRole('button', { name: 'Menu' }).tap();
    await page.getByRole('dialog').getByRole('link', { name: 'Campaigns' }).tap();
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    await figure(page, 'Revenue', 'Boots search').waitFor();
    await isReadable();
  });

  await step('Sort the cards by spend', async () => {
    await page.getByLabel('Sort by').selectOption('Spend');
    const cards = page.getByRole('list', { name: /^Campaigns, what they cost/ }).getByRole('listitem');
    await expect.poll(() => cards.first().textContent()).toContain('Winter video');
  });

  await step('Tap a figure: the explanation fills the screen', async () => {
    await figure(page, 'Revenue', 'Boots search').tap();
    const panel = page.getByRole('dialog', { name: 'Revenue, Boots search' });
    await panel.getByRole('row', { name: 'All 2 together $200.00' }).waitFor();
    expect((await panel.boundingBox())?.width).toBe(390);
    await isReadable();
  });

  await step('Open the journey of a conversion and its customer', async () => {
    await page.getByRole('link', { name: 'Its journey, under six models' }).first().tap();
    await page.getByRole('heading', { name: 'Journey of a conversion' }).waitFor();
    await page.getByRole('list', { name: 'Journey' }).getByText('Payment received').waitFor();
    await isReadable();
    await page.getByRole('link', { name: 'somebody without a name' }).tap();
    await page.getByRole('heading', { level: 1, name: /@example\.com$/ }).waitFor();
    await isReadable();
  });
  expect(complaints).toEqual([]);
});
