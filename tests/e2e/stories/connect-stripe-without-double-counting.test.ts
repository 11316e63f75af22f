import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultsIn, optionsOf, settle } from '../walk.ts';
import { expectRevenue as expectRevenueOf } from './revenue.ts';
import { openStripeShop, type StripeShop, unmatchedCount } from './stripe-shop.ts';

// Uses its own installation, because the story selects the charges of its Stripe account.
let shop: StripeShop;
beforeAll(async () => {
  shop = await openStripeShop();
});
afterAll(() => shop?.close());

const expectRevenue = (page: Page, cents: number): Promise<void> => expectRevenueOf(page, shop, cents);

const go = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();

/** The value of a match's payments in cents. */
async function amountOf(match: Locator): Promise<number> {
  const [text = ''] = await match.locator('.number').allTextContents();
  return Math.round(Number(text.replace(/[^0-9.]/g, '')) * 100);
}

// Takes longer than ten seconds: the effect of each decision on revenue is checked on Overview.
test('connecting Stripe counts each sale once, and every decision about it can be undone', {
  timeout: 600_000,
}, async () => {
  const { page, step, complaints } = shop.owner;
  const { all, server } = shop.revenue;
  const matches = shop.recorded;
  const card = page.getByRole('list', { name: 'Connections' }).getByRole('listitem').filter({ hasText: 'Stripe' });
  const list = page.getByRole('list', { name: 'Matches' });
  expect(shop.charges - matches).toBe(unmatchedCount);

  await step('Overview shows what the server sent', () => expectRevenue(page, server));

  await step('Connect Stripe on its consent page', async () => {
    await go(page, 'Connections');
    await page.getByRole('button', { name: 'Connect Stripe', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Connect your account' }).click();
    await page.waitForURL(`${shop.sandbox.url}/**`);
    await page.getByRole('button', { name: 'approve', exact: true }).click();
    await page.waitForURL('**/connections**');
  });

  await step('The card asks one question, and the recommended state applies', async () => {
    const sentence = `${matches} of ${shop.charges} Stripe payments match payments from your server.`;
    await expect.poll(() => card.textContent(), { timeout: 90_000 }).toContain(sentence);
    await card.getByText('Until you answer, matching payments count once.').waitFor();
  });

  await step('Revenue grows by the unmatched charges only', () => expectRevenue(page, all));

  await step('Payments names the other record of a sale', async () => {
    await go(page, 'Payments');
    await page.getByText('Also reported by your server, not counted').first().waitFor();
    await page.getByRole('radio', { name: 'Not counted' }).click();
    await page.getByText('Another record of this sale counts').first().waitFor();
    expect(await page.getByText('Also reported by your server, not counted').count()).toBe(0);
  });

  await step('A duplicate leads to its sale', async () => {
    await page.getByRole('link', { name: 'Open the sale that Stripe reported' }).first().click();
    await page.waitForURL('**/conversions/**');
  });

  await step('Count both', async () => {
    await go(page, 'Connections');
    await card.getByRole('button', { name: 'Count both' }).click();
    await card.getByText('All payments of both sources count').waitFor();
  });
  await step('Both count', () => expectRevenue(page, all + server));

  await step('Change the answer to counting them once', async () => {
    await go(page, 'Connections');
    await card.getByRole('button', { name: 'Change', exact: true }).click();
    await card.getByRole('button', { name: 'Count them once (recommended)' }).click();
    await card.getByText('Matching payments count once.').waitFor();
  });
  await step('They count once again', () => expectRevenue(page, all));

  let amount = 0;
  let pair = '';
  const button = (name: string) => page.getByRole('button', { name: `${name}: ${pair}` });
  const filterBy = (state: string) => page.getByLabel('State').selectOption(state);
  await step('Review the matches and reject one', async () => {
    await go(page, 'Connections');
    await card.getByRole('link', { name: 'Review' }).click();
    await list.getByText('Counted once automatically').first().waitFor();
    const first = list.getByRole('listitem').first();
    amount = await amountOf(first);
    pair = (await first.getByRole('button').first().getAttribute('aria-label'))?.split(': ')[1] ?? '';
    await button('Reject match').click();
    await button('Undo decision').waitFor();
  });
  await step('Both records of the rejected match count', () => expectRevenue(page, all + amount));

  await step('Undo the rejection', async () => {
    await go(page, 'Payment matches');
    await filterBy('rejected');
    await button('Undo decision').click();
    await page.getByText('No matches here').waitFor();
  });
  await step('The sale counts once again', () => expectRevenue(page, all));

  await step('Confirm a match and undo it', async () => {
    await go(page, 'Payment matches');
    await filterBy('automatic');
    await button('Confirm match').click();
    await filterBy('confirmed');
    await list.getByText(/Confirmed by a member/).waitFor();
    await button('Undo decision').click();
    await page.getByText('No matches here').waitFor();
  });

  await step('Preview rejecting all matches of two sources', async () => {
    await filterBy('automatic');
    await page.getByLabel('Source', { exact: true }).selectOption({ label: 'Stripe' });
    await page.getByLabel('Other source').selectOption({ label: 'Your server' });
    await page.getByRole('button', { name: 'Preview rejecting all' }).click();
    await page.getByText(`${matches} matches would be rejected`).waitFor();
  });
  await step('Reject them and undo all', async () => {
    await page.getByRole('button', { name: `Reject ${matches} matches` }).click();
    await page.getByText(`${matches} matches rejected.`).waitFor();
    await page.getByRole('button', { name: 'Undo all' }).click();
    await page.getByText(`${matches} decisions removed.`).waitFor();
  });
  await step('Each sale counts once again', () => expectRevenue(page, all));

  await step('Disconnect and exclude its payments', async () => {
    await go(page, 'Connections');
    await card.getByRole('button', { name: /^Disconnect / }).click();
    const dialog = page.getByRole('alertdialog');
    expect(await dialog.getByRole('radio', { name: 'Keep counting its payments' }).isChecked()).toBe(true);
    await dialog.getByRole('radio', { name: 'Exclude all of its payments' }).check();
    await shop.owner.step('The dialog offers to exclude', () => dialog.waitFor());
    await dialog.getByRole('button', { name: 'Disconnect' }).click();
    await card.getByText('Disconnected', { exact: true }).waitFor();
  });
  await step('Only what the server sent counts', () => expectRevenue(page, server));

  await step('Take the payments of Stripe back into reports', async () => {
    await go(page, 'Payment sources');
    await page.getByText('No payment of this source is in reports.').waitFor();
    await page.getByText('Settings of Stripe').click();
    await page.getByRole('radio', { name: 'Keep counting its payments' }).check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('No payment of this source is in reports.').waitFor({ state: 'detached' });
  });
  await step('All sales count again', () => expectRevenue(page, all));

  await step('Prefer the records of the server', async () => {
    await go(page, 'Payment sources');
    for (const _ of [1, 2, 3]) await page.getByRole('button', { name: 'Move Your server up' }).click();
    await page.getByLabel('Time window, minutes').fill('15');
    await page.getByRole('button', { name: 'Save settings' }).click();
    const sources = page.getByRole('list', { name: 'Payment sources' });
    const own = sources.getByRole('listitem').filter({ hasText: 'Your server' });
    await expect
      .poll(() => own.textContent(), { timeout: 60_000 })
      .toContain(`${matches} payments: ${matches} counted, 0 duplicates`);
  });
  await step('Revenue stays the same', () => expectRevenue(page, all));
  expect(complaints).toEqual([]);
});

const looks = [
  { language: 'en', theme: 'dark', width: 1440, name: 'dark' },
  { language: 'en', theme: 'light', width: 390, name: 'phone' },
  { language: 'es', theme: 'light', width: 1440, name: 'Spanish' },
] as const;

// Takes longer than ten seconds: three appearances of five pages.
test('the pages about sales of several sources are readable and accessible in every appearance', {
  timeout: 600_000,
}, async () => {
  const storageState = await shop.owner.page.context().storageState();
  for (const look of looks) {
    const { page, step } = await shop.visitor({ ...optionsOf(look), storageState });
    for (const name of ['connections', 'payments', 'payment-matches', 'payment-sources', 'settings'])
      await step(`${look.name} ${name}`, async () => {
        await page.goto(shop.url(name));
        await settle(page);
        expect(await faultsIn(page, look)).toEqual([]);
      });
    await page.context().close();
  }
});
