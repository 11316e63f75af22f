import { expect, test } from 'vitest';
import { linkIn, receiveMail } from './mail.ts';
import { expectFigure, figure } from './report.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openShopServer } from './shop-server.ts';

test('schedule a report by e-mail, send it now, receive it and unsubscribe', async () => {
  const installation = await sharedInstallation();
  const workspace = await installation.openWorkspace();
  const colleague = await workspace.member('viewer');
  const server = await openShopServer(installation, workspace);
  const { page, step } = workspace.owner;
  await server.payment('luz@example.com', '120.50', server.daysAgo(1));
  await step('Overview shows the payment', () =>
    expectFigure(page, workspace.url('overview'), figure(page, 'Revenue', 'all'), '$120.50'),
  );

  const line = page.getByRole('listitem').filter({ hasText: 'Overview, every day' });
  await step('Have Overview sent to a colleague every day', async () => {
    await page.locator('summary').filter({ hasText: 'Share' }).click();
    await page.getByRole('link', { name: 'Send it by e-mail' }).click();
    await page.getByLabel('When', { exact: true }).selectOption('day');
    await page.getByRole('checkbox', { name: colleague.email }).check();
    await page.getByRole('button', { name: 'Have it sent' }).click();
    await line.getByText(/Next: .* 7:00/).waitFor();
  });
  await step('Send it now', async () => {
    await line.getByRole('button', { name: /^Send .* now$/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Send now' }).click();
    await line.getByText('sent to 2').waitFor();
  });

  const mail = await receiveMail(installation, colleague.email, 'Test profile: Overview');
  expect(mail.text).toContain('Revenue: $120.50');
  await receiveMail(installation, workspace.owner.email, 'Revenue: $120.50');
  await colleague.step('Open the report from the mail', async () => {
    await colleague.page.goto(linkIn(mail, '/overview'));
    await figure(colleague.page, 'Revenue', 'all').getByText('$120.50').waitFor();
  });

  await colleague.step('Unsubscribe by the link of the mail', async () => {
    await colleague.page.goto(linkIn(mail, '/report-mails'));
    await colleague.page.getByRole('button', { name: 'Get it no longer' }).click();
    await colleague.page.getByRole('button', { name: 'Get it no longer' }).waitFor({ state: 'detached' });
    expect(await colleague.page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
  });
  await step('Only the owner still receives it', async () => {
    await page.reload();
    await line.getByText(workspace.owner.email).waitFor();
    expect(await line.getByText(colleague.email).count()).toBe(0);
  });
  await step('Stop the report', async () => {
    await line.getByRole('button', { name: /^Stop / }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Stop' }).click();
    await page.getByText('No report is sent by e-mail').waitFor();
  });
  expect([...workspace.owner.complaints, ...colleague.complaints]).toEqual([]);
});
