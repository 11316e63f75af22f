import { expect, test } from 'vitest';
import { connect } from './connect.ts';
import { sharedInstallation } from './shared-installation.ts';

test('a consent is revoked at Stripe, the card asks to reconnect, and payments arrive again', async () => {
  const { sandbox, openWorkspace } = await sharedInstallation();
  const workspace = await openWorkspace();
  const { page, step, complaints } = workspace.owner;
  const { book, consents } = sandbox;
  const card = page.getByRole('list', { name: 'Connections' }).getByRole('listitem').filter({ hasText: 'Stripe' });

  await step('Connect Stripe', () => connect(page, workspace, 'Stripe'));
  await step('The card asks to reconnect', async () => {
    consents.revokeAll('stripe', 'acct_sandbox');
    book.stripe.pay({ amount: 123_45, currency: 'usd' });
    await card.getByRole('button', { name: /^Sync now/ }).click();
    await card.getByText('Reconnect needed').waitFor();
    await card.getByText('press Reconnect to give it again').waitFor();
    await card.getByText(/Last sync failed: /).waitFor();
  });
  await step('Reconnect', async () => {
    await card.getByRole('button', { name: /^Reconnect / }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Connect your account' }).click();
    await page.getByRole('button', { name: 'approve', exact: true }).click();
    await card.getByText('Connected', { exact: true }).waitFor();
    await expect.poll(() => card.textContent()).not.toContain('Last sync failed');
    // The same account keeps one card.
    expect(await card.count()).toBe(1);
  });
  await step('See the payment that was made meanwhile', async () => {
    const payment = page.getByRole('main').getByText('$123.45');
    const isShown = async () => {
      await page.goto(workspace.url('payments'));
      return payment
        .first()
        .waitFor({ timeout: 3_000 })
        .then(
          () => true,
          () => false,
        );
    };
    await expect.poll(isShown).toBe(true);
  });
  expect(complaints).toEqual([]);
});
