import { expect, test } from 'vitest';
import { connect } from './connect.ts';
import { readSettled } from './revenue.ts';
import { sharedInstallation } from './shared-installation.ts';

test('disconnect Google Ads: its spend stays in reports, and nothing more is read', async () => {
  const { sandbox, openWorkspace } = await sharedInstallation();
  const workspace = await openWorkspace({ reportingCurrency: 'CLP' });
  const { page, step, complaints } = workspace.owner;
  const card = page.getByRole('list', { name: 'Connections' }).getByRole('listitem').filter({ hasText: 'Google Ads' });
  let spend = 0;

  await step('Connect Google Ads', () => connect(page, workspace, 'Google Ads', 'CLP'));
  await step('See its spend', async () => {
    spend = await readSettled(page, workspace, 'Spend');
  });
  await step('Disconnect it', async () => {
    await page.goto(workspace.url('connections'));
    await card.getByRole('button', { name: /^Disconnect / }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('Data that was imported stays in your reports.').waitFor();
    await dialog.getByRole('button', { name: 'Disconnect' }).click();
    await card.getByText('Disconnected', { exact: true }).waitFor();
    await card.getByText('Imported data stays in your reports.').waitFor();
  });
  await step('The consent is revoked at Google', async () => {
    await expect.poll(() => sandbox.book.calls.some(({ path }) => path.includes('/revoke'))).toBe(true);
    const calls = sandbox.book.calls.length;
    await page.getByRole('button', { name: 'Sync all now' }).click();
    await page.waitForTimeout(1_000);
    const after = sandbox.book.calls.slice(calls).filter(({ path }) => path.startsWith('/google'));
    expect(after).toEqual([]);
  });
  await step('Its spend is still in reports', async () => {
    expect(await readSettled(page, workspace, 'Spend')).toBe(spend);
  });
  expect(complaints).toEqual([]);
});
