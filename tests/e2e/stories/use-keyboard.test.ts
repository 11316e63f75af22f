import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectFigure, figure } from './report.ts';
import { sharedInstallation } from './shared-installation.ts';
import { campaigns, openAdvertisingShop } from './shop-server.ts';

/** Presses Tab until the element has the focus, as a keyboard user does, and checks that the focus is visible. */
async function tabTo(page: Page, target: Locator, most = 60): Promise<void> {
  for (let presses = 0; presses < most; presses += 1) {
    if ((await target.count()) > 0 && (await target.first().evaluate((of) => of.matches(':focus')))) {
      expect(await target.first().evaluate((of) => of.matches(':focus-visible'))).toBe(true);
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`Not reached by Tab: ${target}`);
}

test('sign in, change the period and open a campaign with the keyboard alone', async () => {
  const installation = await sharedInstallation();
  const shop = await openAdvertisingShop(installation);
  await expectFigure(shop.owner.page, shop.url('overview'), figure(shop.owner.page, 'Revenue', 'all'), '$200.00');
  const { page, step, complaints } = await installation.visitor();
  const main = page.getByRole('main');

  await step('Sign in', async () => {
    await page.goto(shop.url('overview'));
    await tabTo(page, page.getByLabel('E-mail'));
    await page.keyboard.type(shop.owner.email);
    await tabTo(page, page.getByLabel('Password'));
    await page.keyboard.type(shop.owner.password);
    await page.keyboard.press('Enter');
    await figure(page, 'Revenue', 'all').getByText('$200.00').waitFor();
  });
  await step('Skip the navigation', async () => {
    await page.reload();
    await figure(page, 'Revenue', 'all').waitFor();
    const skip = page.getByRole('link', { name: 'To the content' });
    await tabTo(page, skip, 2);
    await page.keyboard.press('Enter');
    await expect.poll(() => main.evaluate((of) => of.matches(':focus'))).toBe(true);
  });
  await step('Change the period to today: no revenue', async () => {
    await tabTo(page, page.getByRole('combobox', { name: 'Days' }));
    await page.keyboard.type('Today');
    await page.waitForURL(/from=/);
    await figure(page, 'Revenue', 'all').waitFor({ state: 'detached' });
  });
  await step('Back to the last 7 days', async () => {
    await tabTo(page, page.getByRole('combobox', { name: 'Days' }));
    // Yesterday lies between.
    for (const _ of [1, 2]) await page.keyboard.press('ArrowDown');
    await figure(page, 'Revenue', 'all').getByText('$200.00').waitFor();
  });
  await step('Go to Campaigns with the command palette', async () => {
    await page.keyboard.press('Control+K');
    await page.keyboard.type('Campaigns');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  });
  await step('Open a campaign', async () => {
    const campaign = main.getByRole('link', { name: campaigns.search.name, exact: true });
    await campaign.waitFor();
    await tabTo(page, campaign);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Ad sets', level: 1 }).waitFor();
    await main.getByText(`${campaigns.search.name}, all`).waitFor();
  });
  await step('Open the explanation of a figure and close it with Escape', async () => {
    await tabTo(page, main.getByRole('link', { name: /: Revenue, .*Explain$/ }).first());
    await page.keyboard.press('Enter');
    const explanation = page.getByRole('region', { name: 'Explanation' });
    await explanation.waitFor();
    await page.keyboard.press('Escape');
    await explanation.waitFor({ state: 'detached' });
  });
  expect(complaints).toEqual([]);
});
