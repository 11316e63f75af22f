import { expect, test } from 'vitest';
import { expectFigure, figure } from './report.ts';
import { sendPayment } from './server.ts';
import { sharedInstallation } from './shared-installation.ts';

test('create, rename, archive and restore a profile', async () => {
  const installation = await sharedInstallation();
  const { owner, profileId: first } = await installation.openWorkspace();
  const { page, step, complaints } = owner;
  const pages = page.getByRole('navigation', { name: 'Pages' });
  const switcher = page.getByRole('button', { name: /Switch profile$/ });

  let profileId = '';
  await step('Create a profile', async () => {
    await switcher.click();
    await page.getByRole('button', { name: '+ New profile' }).click();
    const dialog = page.getByRole('dialog', { name: 'New profile' });
    await dialog.getByLabel('Name').fill('Shop Chile');
    await dialog.getByLabel('Time zone').selectOption('America/Santiago');
    await dialog.getByLabel('Reporting currency').selectOption('EUR');
    await dialog.getByRole('button', { name: 'Create profile' }).click();
    await page.getByRole('heading', { name: 'Set-up' }).waitFor();
    profileId = page.url().match(/\/p\/([0-9a-f-]{36})\//)?.[1] ?? '';
    expect(profileId).not.toBe(first);
    expect(await switcher.textContent()).toContain('Shop Chile');
  });

  await step('Rename it', async () => {
    await pages.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Tienda Chile');
    await page.getByLabel('Reporting currency').selectOption('USD');
    await page.getByRole('button', { name: /^Save/ }).click();
    await expect.poll(() => switcher.textContent()).toContain('Tienda Chile');
  });

  let key = '';
  await step('Its server sends a payment', async () => {
    await pages.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.getByLabel('Name').fill('Server');
    await page.getByRole('button', { name: 'Make key' }).click();
    key = (await page.getByRole('status').locator('code').textContent()) ?? '';
    expect(await sendPayment(installation, key, { value: '35.00' })).toBe(202);
    const url = `${installation.baseUrl}/p/${profileId}/overview`;
    await expectFigure(page, url, figure(page, 'Revenue', 'all'), '$35.00');
  });

  await step('Archive it: its key is refused', async () => {
    await pages.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Archive Tienda Chile' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Archive' }).click();
    await page.waitForURL(`**/p/${first}/**`);
    await expect.poll(() => sendPayment(installation, key, { value: '99.00' }), { interval: 200 }).toBeGreaterThan(400);
  });
  await step('The switcher no longer offers it', async () => {
    await switcher.click();
    await page.getByLabel('Find a profile').fill('Tienda');
    await page.getByText('No profile has this name.').waitFor();
    await page.keyboard.press('Escape');
  });

  await step('Restore it: its key works and its figures are back', async () => {
    await pages.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('list', { name: 'Archived' }).getByText('Tienda Chile').waitFor();
    await page.getByRole('button', { name: 'Restore Tienda Chile' }).click();
    await page.getByRole('link', { name: 'Open Tienda Chile' }).click();
    await figure(page, 'Revenue', 'all').getByText('$35.00').waitFor();
    await expect.poll(() => sendPayment(installation, key, { value: '5.00' }), { interval: 200 }).toBe(202);
  });
  expect(complaints).toEqual([]);
});
