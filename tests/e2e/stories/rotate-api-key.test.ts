import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sendPayment } from './server.ts';
import { sharedInstallation } from './shared-installation.ts';

async function createKey(page: Page, name: string): Promise<string> {
  await page.getByLabel('Name').fill(name);
  await page.getByRole('combobox', { name: 'What it may do' }).selectOption({ label: 'Send events and payments' });
  await page.getByRole('button', { name: 'Make key' }).click();
  await page.getByRole('button', { name: `Revoke ${name}`, exact: true }).waitFor();
  return (await page.getByRole('status').locator('code').textContent()) ?? '';
}

test('create an API key, replace it, and the old key stops working', async () => {
  const installation = await sharedInstallation();
  const { owner } = await installation.openWorkspace();
  const { page, step, complaints } = owner;
  const send = (key: string) => sendPayment(installation, key, { value: '10.00' });

  let old = '';
  await step('Create a key', async () => {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'API keys' }).click();
    old = await createKey(page, 'Shop server');
    expect(await send(old)).toBe(202);
  });
  await step('The key reads no reports', async () => {
    const response = await fetch(`${installation.baseUrl}/api/v1/overview`, {
      headers: { authorization: `Bearer ${old}` },
    });
    expect(response.status).toBe(403);
    await page.reload();
    await page.getByRole('button', { name: 'Revoke Shop server' }).waitFor();
    // The complete key is shown once.
    expect(await page.getByText(old).count()).toBe(0);
  });

  let replacement = '';
  await step('Create its replacement: both work', async () => {
    replacement = await createKey(page, 'Shop server 2');
    expect([await send(old), await send(replacement)]).toEqual([202, 202]);
  });
  await step('Revoke the old key', async () => {
    await page.getByRole('button', { name: 'Revoke Shop server', exact: true }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke Shop server', exact: true }).waitFor({ state: 'detached' });
    await expect.poll(() => send(old), { interval: 200 }).toBe(401);
    expect(await send(replacement)).toBe(202);
  });
  expect(complaints).toEqual([]);
});
