import type { Page } from 'playwright-core';
import type { Workspace } from './installation.ts';

/**
 * Opens Connections, consents on the provider's page, selects the account where several are offered (by default the first), and waits for the first
 * sync.
 */
export async function connect(page: Page, workspace: Workspace, provider: string, account = ''): Promise<void> {
  await page.goto(workspace.url('connections'));
  await page.getByRole('button', { name: `Connect ${provider}`, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Connect your account' }).click();
  await page.getByRole('button', { name: 'approve' }).click();
  await page.waitForURL('**/connections**');
  const chooser = page.getByText('Choose the account to connect:');
  const accounts = page.getByRole('heading', { name: 'Connected accounts' });
  await chooser.or(accounts).first().waitFor();
  if (await chooser.isVisible())
    await chooser.locator('..').getByRole('button').filter({ hasText: account }).first().click();
  await page
    .getByRole('listitem')
    .filter({ hasText: provider })
    .filter({ hasText: /Synced / })
    .first()
    .waitFor({ timeout: 150_000 });
}
