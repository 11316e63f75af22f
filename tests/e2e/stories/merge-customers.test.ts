import { expect, test } from 'vitest';
import { expectFigure, figure } from './report.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openShopServer } from './shop-server.ts';

test('an owner merges two customers who share an e-mail address, and undoes the merge', async () => {
  const installation = await sharedInstallation();
  const workspace = await installation.openWorkspace();
  const server = await openShopServer(installation, workspace);
  const { daysAgo } = server;
  const { page, step, complaints } = workspace.owner;
  const pair = page.getByRole('list', { name: 'Proposed merges' }).getByRole('listitem');
  const go = (name: string) =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();
  const revenueOf = (campaign: string) => figure(page, 'Revenue', campaign);

  // The lead of one key and the payment of the other belong to the same customer.
  await server.spend('video', daysAgo(5), '10.00');
  await server.send({
    event_name: 'lead_created',
    occurred_at: daysAgo(5),
    ad_id: '9011',
    platform: 'social_ads',
    user_traits: { external_id: 'web-1', email: 'noa@example.com', first_name: 'Noa', last_name: 'Lind' },
  });
  await server.send({
    event_name: 'payment_received',
    occurred_at: daysAgo(1),
    properties: { value: '90.00', currency: 'USD' },
    user_traits: { external_id: 'store-2', email: 'noa@example.com', first_name: 'Noa', last_name: 'Lind' },
  });

  await step('No campaign earned the payment', () =>
    expectFigure(page, workspace.url('campaigns'), revenueOf('Unattributed'), '$90.00'),
  );

  await step('Read the proposed merge', async () => {
    await go('Proposed merges');
    await pair.getByText('Both carry the email noa@example.com').waitFor();
    await pair.getByText(/web-1, 1 outcomes/).waitFor();
    await pair.getByText(/store-2, 1 outcomes/).waitFor();
  });

  await step('Preview the merge', async () => {
    await pair.getByRole('button', { name: 'Preview merge' }).click();
    await pair.getByText(/One customer with the keys .*web-1/).waitFor();
    await pair.getByText('1 outcomes and 0 browsers move.').waitFor();
  });

  await step('Merge the customers', async () => {
    await pair.getByLabel('Reason').fill('The store has its own keys.');
    await pair.getByRole('button', { name: 'Merge customers' }).click();
    await page.getByText('No proposed merges').first().waitFor();
  });

  await step('The campaign of the lead earns the payment', () =>
    expectFigure(page, workspace.url('campaigns'), revenueOf('Winter video'), '$90.00'),
  );

  await step('The customer page says why it is one person', async () => {
    await go('Customers');
    await page.getByRole('link', { name: 'Noa Lind' }).first().click();
    const why = page.getByRole('region', { name: 'Why one person' });
    await why.getByText(/External customer id store-2/).waitFor();
    await why.getByText(/External customer id web-1/).waitFor();
  });

  await step('Undo the merge where it was decided', async () => {
    await go('Proposed merges');
    await page.getByLabel('Show').selectOption('Confirmed');
    await pair.getByLabel('Reason').fill('They are mother and daughter.');
    await pair.getByRole('button', { name: 'Undo merge' }).click();
    await pair.getByText('The merge was undone.').waitFor();
    expect(await pair.getByRole('button', { name: 'Undo merge' }).count()).toBe(0);
  });

  await step('No campaign earns the payment again', () =>
    expectFigure(page, workspace.url('campaigns'), revenueOf('Unattributed'), '$90.00'),
  );
  expect(complaints).toEqual([]);
});
