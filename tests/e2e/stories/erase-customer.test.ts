import { expect, test } from 'vitest';
import { expectFigure, figure } from './report.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openAdvertisingShop } from './shop-server.ts';

test('an owner erases a customer, reads the receipt, and no figure changes', async () => {
  const shop = await openAdvertisingShop(await sharedInstallation());
  const { page, step, complaints } = shop.owner;
  const revenue = figure(page, 'Revenue', 'Boots search');
  await expectFigure(page, shop.url('campaigns'), revenue, '$200.00');
  const found = page.getByRole('region', { name: 'People found' });
  const find = async () => {
    await page.getByLabel('Name, e-mail or phone').fill('ana@example.com');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
  };

  await step('Find the customer and ask for the erasure', async () => {
    await page.goto(shop.url('customers'));
    await find();
    await found.getByRole('link', { name: 'ana@example.com' }).click();
    await page.getByRole('link', { name: 'Erase', exact: true }).click();
    expect(await page.getByLabel('E-mail', { exact: true }).inputValue()).toBe('ana@example.com');
  });

  await step('Name the request', async () => {
    await page.getByLabel('Your name for this request').fill('ticket-4711');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Erase ana@example.com for good?' }).waitFor();
  });

  await step('Confirm: the receipt says when it is done', async () => {
    await page.getByRole('checkbox', { name: 'I know that this cannot be undone.' }).check();
    await page.getByRole('button', { name: 'Erase for good' }).click();
    const receipt = page.getByRole('region', { name: 'Receipt' });
    await receipt.getByText('ticket-4711').waitFor();
    await receipt.getByText('Done: the person is gone from every store.').waitFor();
    expect(page.url()).not.toContain('ana');
    expect(await receipt.textContent()).not.toContain('ana@example.com');
  });

  await step('The receipt is listed', async () => {
    await page.getByRole('link', { name: 'Erase somebody else' }).click();
    const row = page.getByRole('region', { name: 'Receipts' }).locator('tbody tr').filter({ hasText: 'ticket-4711' });
    await row.getByText('Done').waitFor();
  });

  await step('The customer is not found, the payment is', async () => {
    await page.goto(shop.url('customers'));
    await find();
    await found.getByText('Nobody begins like that').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
    await page.locator('tbody tr').filter({ hasText: '$120.00' }).waitFor();
    expect(await page.getByRole('main').textContent()).not.toContain('ana@example.com');
  });

  await step('The report is the same', async () => {
    await expectFigure(page, shop.url('campaigns'), revenue, '$200.00');
  });
  expect(complaints).toEqual([]);
});
