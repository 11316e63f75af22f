import { expect, onTestFinished, test } from 'vitest';
import { openAssistant } from './assistant.ts';
import { expectFigure, figure } from './report.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openShopServer } from './shop-server.ts';

test('connect an AI assistant on the consent page, have it read a report, and revoke its access', async () => {
  const installation = await sharedInstallation();
  const workspace = await installation.openWorkspace();
  const server = await openShopServer(installation, workspace);
  await server.payment('luz@example.com', '120.50', server.daysAgo(1));
  const { owner } = workspace;
  const { page, step } = owner;
  const assistant = await openAssistant(installation, 'Claude');
  onTestFinished(() => assistant.close());
  const days = { date_from: server.daysAgo(3).slice(0, 10), date_to: server.daysAgo(0).slice(0, 10) };

  await step('Account has the address for the assistant', async () => {
    await expectFigure(page, workspace.url('overview'), figure(page, 'Revenue', 'all'), '$120.50');
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByText(`${installation.baseUrl}/mcp`).waitFor();
    await page.getByText('No assistant has access.').waitFor();
  });

  const other = await installation.visitor();
  await other.step('A visitor who is not signed in signs in on the consent page', async () => {
    await other.page.goto(assistant.consentUrl);
    await other.page.getByText('Claude asks to read your reports.').waitFor();
    await other.page.getByLabel('E-mail').fill(owner.email);
    await other.page.getByLabel('Password').fill('a wrong password');
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByText('The e-mail address or the password is wrong.').waitFor();
    await other.page.getByLabel('E-mail').fill(owner.email);
    await other.page.getByLabel('Password').fill(owner.password);
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByRole('heading', { name: 'Allow Claude?' }).waitFor();
  });
  await other.step('Deny: the assistant gets no code', async () => {
    await other.page.getByRole('button', { name: 'Deny' }).click();
    const answer = await assistant.receiveAnswer();
    expect([answer.get('error'), answer.get('code')]).toEqual(['access_denied', null]);
    await other.close();
  });

  await step('Allow it for a profile', async () => {
    await page.goto(assistant.consentUrl);
    await page.getByLabel('Which profile may it speak for?').selectOption({ label: 'Test profile' });
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('received').waitFor();
    const answer = await assistant.receiveAnswer();
    expect(answer.get('state')).toBe('state-of-the-assistant');
    await assistant.exchange(answer.get('code') ?? '');
  });
  expect(await assistant.call('read_overview', days)).toMatchObject({
    status: 200,
    answer: { data: { totals: { outcome_value: 120.5 } } },
  });

  await step('Account lists it; revoke it', async () => {
    await page.goto(`${installation.baseUrl}/account`);
    const list = page.getByRole('list', { name: 'AI assistants' });
    await list.getByText('Test profile · reads reports').waitFor();
    await page.getByRole('button', { name: 'Revoke Claude' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No assistant has access.').waitFor();
  });
  expect(await assistant.call('read_overview', days)).toMatchObject({ status: 401 });
  expect([...owner.complaints, ...other.complaints]).toEqual([]);
});
