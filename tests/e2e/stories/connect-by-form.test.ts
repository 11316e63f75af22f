import { buildApiKey } from '@tributary/testkit';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Workspace } from './installation.ts';
import { sharedInstallation } from './shared-installation.ts';

const openDialog = async (page: Page, workspace: Workspace, provider: string) => {
  await page.goto(workspace.url('connections'));
  await page.getByRole('button', { name: `Connect ${provider}`, exact: true }).click();
  return page.getByRole('dialog');
};

const card = (page: Page, provider: string) =>
  page.getByRole('list', { name: 'Connections' }).getByRole('listitem').filter({ hasText: provider });

test('connect Shopify with a token and see its orders', async () => {
  const { sandbox, openWorkspace } = await sharedInstallation();
  const workspace = await openWorkspace();
  const { page, step, complaints } = workspace.owner;
  const [domain = '', token = ''] = [...sandbox.book.shopify.tokens][0] ?? [];

  await step('Enter a domain that is no store', async () => {
    const dialog = await openDialog(page, workspace, 'Shopify');
    await dialog.getByLabel('Store domain').fill('shop.example');
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    await dialog.getByRole('alert').getByText('name.myshopify.com').waitFor();
  });
  await step('Enter domain and token', async () => {
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Store domain').fill(domain);
    await dialog.getByLabel('Admin API access token (optional)').fill(token);
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    await dialog.getByText('One step is left').waitFor();
  });
  await step('Enter the signing secret', async () => {
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Webhook signing secret').fill('a-secret-of-the-store');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Connected. The first sync starts at once.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await card(page, domain)
      .getByText(/Synced /)
      .waitFor();
    await card(page, domain).getByText('Connected', { exact: true }).waitFor();
  });
  await step('See its orders as payments', async () => {
    await page.goto(workspace.url('payments'));
    await page.getByRole('main').getByRole('row').filter({ hasText: 'Shopify' }).first().waitFor();
  });
  expect(complaints).toEqual([]);
});

test('connect Fintoc through its widget and see bank transfers', async () => {
  const { openWorkspace } = await sharedInstallation();
  const workspace = await openWorkspace();
  const { page, step, complaints } = workspace.owner;
  const start = async () => {
    const dialog = await openDialog(page, workspace, 'Fintoc');
    await dialog.getByLabel('Country').selectOption('Chile');
    await dialog.getByRole('button', { name: 'Connect your account' }).click();
    await page.getByText('Banco Sandbox').waitFor();
  };

  await step('Close the widget', async () => {
    await start();
    await page.getByRole('button', { name: 'close' }).click();
    await page.getByText('Nothing is connected yet').waitFor();
  });
  await step('Open the widget again', start);
  await step('Sign in at the bank', async () => {
    await page.getByRole('button', { name: 'approve' }).click();
    const result = page.getByRole('region', { name: 'Result of connecting' });
    await result.getByText('Connected. The first sync starts at once.').waitFor();
  });
  await step('See both accounts', async () => {
    for (const account of ['Cuenta corriente', 'Cuenta vista'])
      await card(page, account)
        .getByText(/Synced /)
        .waitFor();
  });
  await step('See transfers as payments', async () => {
    await page.goto(workspace.url('payments'));
    await page.getByRole('main').getByRole('row').filter({ hasText: 'Fintoc' }).first().waitFor();
  });
  expect(complaints).toEqual([]);
});

test('connect ManyChat with a key and receive its conversations', async () => {
  const { kit, openWorkspace } = await sharedInstallation();
  const workspace = await openWorkspace();
  const { page, step, complaints } = workspace.owner;
  const request = { url: '', body: '' };

  await step('Enter a key that ManyChat refuses', async () => {
    const dialog = await openDialog(page, workspace, 'ManyChat');
    await dialog.getByLabel('API key').fill('999:not-a-key');
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    await dialog.getByRole('alert').getByText('Wrong token').waitFor();
  });
  await step('Enter the key', async () => {
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('API key').fill('123456:sandbox-key');
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    await dialog.getByText('Authorization', { exact: false }).waitFor();
    const [line = '', , body = ''] = await dialog.locator('pre').allTextContents();
    Object.assign(request, { url: line.replace('POST ', ''), body });
    await dialog.getByRole('button', { name: 'Close' }).click();
    await card(page, 'Sandbox page')
      .getByText(/Synced /)
      .waitFor();
  });
  await step('See the conversation that the flow sends', async () => {
    const { headers } = await buildApiKey(kit.app, workspace.profileId, { scopes: ['attribution:write'] });
    const fields = { user_id: '42', phone: '+56912345678', email: 'chat@example.com' };
    const body = request.body.replaceAll(/\{\{(\w+)\}\}/g, (_, name: keyof typeof fields) => fields[name]);
    const sent = await fetch(request.url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    expect(sent.status).toBe(202);
    await page.goto(workspace.url('customers'));
    await page.getByLabel('Goal').selectOption('Messaging started');
    await page.getByRole('main').getByText('chat@example.com').waitFor();
  });
  expect(complaints).toEqual([]);
});
