import { expect, test } from 'vitest';
import { connect } from './connect.ts';
import { expectRevenue, readSettled } from './revenue.ts';
import { sharedInstallation } from './shared-installation.ts';

// Takes longer than ten seconds: revenue is checked through the changes at Stripe.
test('revenue follows refunds and disputes at Stripe, and grows again when they are undone', async () => {
  const { sandbox, baseUrl, openWorkspace } = await sharedInstallation();
  const workspace = await openWorkspace();
  const { page, step, complaints } = workspace.owner;
  const { stripe } = sandbox.book;
  const notify = async (type: string) => {
    const { headers, body } = stripe.webhook({ type });
    const response = await fetch(`${baseUrl}/hooks/payments_a`, { method: 'POST', headers, body: Buffer.from(body) });
    expect(response.status).toBe(204);
  };
  let revenue = 0;

  await step('Connect Stripe', () => connect(page, workspace, 'Stripe'));
  await step('Read the revenue', async () => {
    revenue = await readSettled(page, workspace, 'Revenue');
  });
  const [first, second] = [
    stripe.pay({ amount: 500_00, currency: 'usd' }),
    stripe.pay({ amount: 200_00, currency: 'usd' }),
  ];
  await step('Two payments', async () => {
    await notify('charge.succeeded');
    await expectRevenue(page, workspace, revenue + 700_00);
  });
  const refund = stripe.refund(first, 120_00);
  const dispute = stripe.dispute(second);
  await step('A part of the first is refunded, and the second is disputed', async () => {
    await notify('charge.refunded');
    await notify('charge.dispute.created');
    await expectRevenue(page, workspace, revenue + 380_00);
    await page.goto(workspace.url('payments'));
    await page.getByText('$500.00 less $120.00').waitFor();
    await page.getByRole('row').filter({ hasText: '$500.00 less' }).getByText('Partially refunded').waitFor();
    await page.getByText('$200.00 less $200.00').waitFor();
  });
  await step('The refund fails, and the dispute is won', async () => {
    stripe.settle(refund, 'failed');
    stripe.settle(dispute, 'won');
    await notify('refund.failed');
    await notify('charge.dispute.closed');
    await expectRevenue(page, workspace, revenue + 700_00);
    await page.goto(workspace.url('payments'));
    await page.getByRole('row').filter({ hasText: '$500.00' }).getByText('Succeeded').waitFor();
  });
  expect(complaints).toEqual([]);
});
