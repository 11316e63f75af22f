import { expect, test } from 'vitest';
import { faultsIn, optionsOf, settle, visibleFaults } from '../walk.ts';
import { expectFigure, figure } from './report.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openAdvertisingShop } from './shop-server.ts';

const look = { language: 'en', theme: 'dark', width: 390, name: 'dark phone' } as const;
const pages = [
  'Campaigns',
  'Payments',
  'Customers',
  'Connections',
  'Goals',
  'Team',
  'Webhooks',
  'Settings',
  'API keys',
];

// Takes longer than ten seconds: it opens ten pages.
test('the main pages fit a 390 px phone in dark mode', async () => {
  const installation = await sharedInstallation();
  const shop = await openAdvertisingShop(installation);
  const { page, step, complaints } = await installation.visitor(optionsOf(look));

  await step('Sign in', async () => {
    await page.goto(shop.url('overview'));
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await faultsIn(page, look)).toEqual([]);
    await page.getByLabel('E-mail').fill(shop.owner.email);
    await page.getByLabel('Password').fill(shop.owner.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Menu' }).waitFor();
  });
  await step('Read Overview', async () => {
    await expectFigure(page, shop.url('overview'), figure(page, 'Revenue', 'all'), '$200.00');
    await settle(page);
    expect(await faultsIn(page, look)).toEqual([]);
  });
  for (const name of pages)
    await step(`Open ${name} from the menu`, async () => {
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('dialog').getByRole('link', { name, exact: true }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await settle(page);
      expect(await visibleFaults(page, look)).toEqual([]);
    });
  await step('Sign out from the menu', async () => {
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
  expect(complaints).toEqual([]);
});
