import { expect, test } from 'vitest';
import { sharedInstallation } from './shared-installation.ts';

test('the audit log shows what members changed, who did it, and refused attempts', async () => {
  const workspace = await (await sharedInstallation()).openWorkspace();
  const { page, step, complaints } = workspace.owner;
  const admin = await workspace.member('admin');
  const open = async (name: string) => {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
  };

  await step('Rename the profile', async () => {
    await open('Settings');
    await page.getByLabel('Name', { exact: true }).fill('Nord & Sur');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Profile: Nord & Sur. Switch profile' }).waitFor();
  });
  await step('Create and revoke a key', async () => {
    await open('API keys');
    await page.getByLabel('Name').fill('Server');
    await page.getByRole('button', { name: 'Make key' }).click();
    await page.getByRole('button', { name: 'Revoke Server' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke Server' }).waitFor({ state: 'detached' });
  });
  await admin.step('An admin invites a colleague', async () => {
    await admin.page.goto(workspace.url('team'));
    await admin.page.getByRole('button', { name: 'Make a link' }).click();
    await admin.page.getByText('Whoever has the link, as viewer').waitFor();
  });
  await admin.step('An admin may not make themselves owner', async () => {
    const line = admin.page.getByRole('listitem').filter({ hasText: admin.email });
    await line.getByRole('combobox').selectOption('owner');
    await line.getByRole('alert').waitFor();
  });

  await step('The audit log has all of it, newest first', async () => {
    await open('Audit');
    await page.getByRole('row').filter({ hasText: 'Profile updated' }).waitFor();
    const rows = await page.locator('tbody tr').allTextContents();
    const of = (action: string) => rows.findIndex((row) => row.includes(action));
    const order = ['Member role changed', 'Invitation created', 'Key revoked', 'Key created', 'Profile updated'].map(
      of,
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
    const [refused = 0, invited = 0, , created = 0] = order;
    expect(rows[refused]).toContain('Refused');
    expect(rows[invited]).toContain('admin');
    expect(rows[created]).toMatch(/^owner .*Done/);
  });
  expect([...complaints, ...admin.complaints]).toEqual([]);
});
