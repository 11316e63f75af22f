import { expect, test } from 'vitest';
import { expectFigure, figure } from './report.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openShopServer } from './shop-server.ts';

test('share a link to a report with a visitor without an account, and revoke it', async () => {
  const installation = await sharedInstallation();
  const workspace = await installation.openWorkspace();
  const server = await openShopServer(installation, workspace);
  await server.payment('luz@example.com', '120.50', server.daysAgo(1));
  const { page, step } = workspace.owner;

  let link = '';
  await step('Create a link to Overview', async () => {
    await expectFigure(page, workspace.url('overview'), figure(page, 'Revenue', 'all'), '$120.50');
    await page.locator('summary').filter({ hasText: 'Share' }).click();
    await page.getByLabel('Name of the link').fill('For the agency');
    await page.getByRole('combobox', { name: 'How long it works' }).selectOption('7');
    await page.getByRole('button', { name: 'Make link' }).click();
    link = (await page.getByRole('status').locator('code').textContent()) ?? '';
  });

  const visitor = await installation.visitor();
  await visitor.step('A visitor reads the report and nothing else', async () => {
    await visitor.page.goto(link);
    await visitor.page.getByText('Shared with you, read-only').waitFor();
    await visitor.page.getByText('$120.50', { exact: true }).first().waitFor();
    // The secret of the link is removed from the URL.
    expect(visitor.page.url()).not.toContain('trib_view');
    for (const role of ['navigation', 'link'] as const) expect(await visitor.page.getByRole(role).count()).toBe(0);
  });
  await visitor.step('Another page asks to sign in', async () => {
    const report = visitor.page.url();
    await visitor.page.goto(workspace.url('campaigns'));
    await visitor.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await visitor.page.goto(report);
    await visitor.page.getByText('$120.50', { exact: true }).first().waitFor();
  });

  await step('Revoke the link', async () => {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('row').filter({ hasText: 'For the agency' }).getByText('Overview').waitFor();
    await page.getByRole('button', { name: 'Revoke For the agency' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No report is shared').waitFor();
  });
  await visitor.step('The visitor reads nothing more', async () => {
    await visitor.page.reload();
    await visitor.page.getByText('This link is not valid any more').first().waitFor();
    await visitor.page.goto(link);
    await visitor.page.getByText('This link is not valid any more').first().waitFor();
    expect(await visitor.page.getByText('$120.50').count()).toBe(0);
  });
  expect([...workspace.owner.complaints, ...visitor.complaints]).toEqual([]);
});
