import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sharedInstallation } from './shared-installation.ts';

const openConsent = async (page: Page) => {
  await page.getByRole('button', { name: 'Connect Stripe', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Connect your account' }).click();
  await page.waitForURL('**/stripe/oauth/**');
};

const result = (page: Page) => page.getByRole('region', { name: 'Result of connecting' });

test('refuse consent at the provider, see why nothing is connected, and connect after all', async () => {
  const workspace = await (await sharedInstallation()).openWorkspace();
  const { page, step, complaints } = workspace.owner;
  await page.goto(workspace.url('connections'));

  for (const [button, reason] of [
    ['cancel', 'Not connected: the request was cancelled at the provider. Connect again.'],
    ['deny', 'Not connected: the provider denied the request. Connect again.'],
    ['fail', 'Not connected: the provider reported an error. Connect again.'],
  ] as const)
    await step(`Press ${button} at the provider`, async () => {
      await openConsent(page);
      await page.getByRole('button', { name: button, exact: true }).click();
      await result(page).getByText(reason).waitFor();
      await page.getByText('Nothing is connected yet').waitFor();
    });
  await step('Approve', async () => {
    await openConsent(page);
    await page.getByRole('button', { name: 'approve', exact: true }).click();
    await result(page).getByText('Stripe is connected.').waitFor();
    await page.getByRole('heading', { name: 'Connected accounts' }).waitFor();
  });
  expect(complaints).toEqual([]);
});

test('a client refuses by a link, and the member who sent it sees so', async () => {
  const { openWorkspace, visitor } = await sharedInstallation();
  const workspace = await openWorkspace();
  const { page, step, complaints } = workspace.owner;
  const client = await visitor({ locale: 'es-CL' });
  let link = '';

  await step('Create a link for a client', async () => {
    await page.goto(workspace.url('connections'));
    await page.getByRole('button', { name: 'Connect Stripe', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create link for a client' }).click();
    link = (await page.getByRole('dialog').getByRole('link').textContent()) ?? '';
  });
  await client.step('The client refuses', async () => {
    await client.page.goto(link);
    await client.page.getByText('Test profile').waitFor();
    await client.page.getByRole('link', { name: 'Stripe' }).click();
    await client.page.getByRole('button', { name: 'cancel', exact: true }).click();
    await client.page.getByRole('alert').getByText('Dijiste que no en el proveedor').waitFor();
  });
  await step('The member sees so', async () => {
    const text = 'Not connected: the request was cancelled at the provider. Connect again.';
    await page.getByRole('dialog').getByText(text).waitFor();
  });
  expect([...complaints, ...client.complaints]).toEqual([]);
});
