import { createClient } from '@tributary/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from './connect.ts';
import { paymentOf } from './open-api-client.ts';
import { expectRevenue } from './revenue.ts';
import { reachNextRun, setUpExport } from './set-up-export.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openSite, pageWith, type Site } from './site.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site?.close());

// Takes longer than ten seconds: from a visit to the export to Meta.
test('a clinic switches to HIPAA: reports stay, and no personal data is exported', async () => {
  const installation = await sharedInstallation();
  const { baseUrl, sandbox, openWorkspace, visitor } = installation;
  const workspace = await openWorkspace();
  const { page, step, complaints } = workspace.owner;
  const { state, events } = sandbox.book.meta;
  const pixel = state.accounts.find(({ currency }) => currency === 'USD')?.pixels[0]?.id ?? '';
  let key = '';

  await step('Create a key that may do all', async () => {
    await page.goto(workspace.url('keys'));
    await page.getByLabel('Name').fill('Clinic server');
    await page.getByLabel('What it may do').selectOption('All that this profile allows');
    await page.getByLabel('Your password').fill(workspace.owner.password);
    await page.getByRole('button', { name: 'Make key' }).click();
    key = (await page.getByRole('status').locator('code').textContent()) ?? '';
  });
  await step('Switch to HIPAA', async () => {
    await page.goto(workspace.url('settings'));
    await page.getByLabel('Privacy mode').selectOption('HIPAA');
    await page.getByText('From a healthcare mode on').waitFor();
    await page.getByRole('button', { name: 'Change privacy' }).click();
    await page.getByText('From a healthcare mode on').waitFor({ state: 'detached' });
  });
  await step('A patient comes by an ad', async () => {
    await page.goto(workspace.url('set-up'));
    await page.getByRole('button', { name: 'Create tracking key' }).click();
    site.html = pageWith((await page.locator('pre').filter({ hasText: '<script' }).textContent()) ?? '');
    const { page: tab, close } = await visitor();
    await tab.goto(`${site.origin}/?utm_source=facebook&utm_medium=paid_social&campaign_id=888001&fbclid=click-3`);
    await tab.evaluate("tributary('identify', { email: 'patient@example.com' })");
    // Leaving the page makes the tracker send its queue.
    await tab.goto('about:blank');
    await close();
    await page.getByText('Receiving data').waitFor();
  });
  await step('Connect Meta Ads', () => connect(page, workspace, 'Meta Ads', 'USD'));
  await step('Choose what Meta receives', () =>
    setUpExport(page, workspace, { account: 'Meta Ads, Sandbox ads USD', dataset: pixel, name: 'Purchase' }),
  );
  await step('The clinic sends a payment, and reports credit the campaign', async () => {
    const payment = { ...paymentOf('visit-1', '300.00', 'patient@example.com'), click_ids: { fbclid: 'click-3' } };
    await createClient({ baseUrl, apiKey: key }).createEvent({ body: payment });
    await expectRevenue(page, workspace, 300_00);
    const readRow = async () => {
      await page.goto(workspace.url('campaigns'));
      const row = page.getByRole('main').getByRole('row').filter({ hasText: '888001' });
      return row.textContent({ timeout: 5_000 }).catch(() => null);
    };
    await expect.poll(readRow).toContain('$300.00');
  });
  await step('What Meta receives names no person', async () => {
    await expect.poll(() => reachNextRun(installation, workspace)).toBeGreaterThan(0);
    const received = () => events.kept.find(({ event_id }) => event_id === 'visit-1');
    await expect.poll(received).toMatchObject({ event_name: 'Purchase', custom_data: { value: 300 } });
    const { user_data: person, event_source_url: url } = received() ?? { user_data: {} };
    expect(Object.keys(person)).toEqual(['fbc']);
    expect(url).toBeUndefined();
  });
  await step('Members see the patient, and are told who does not', async () => {
    await page.goto(workspace.url('customers'));
    await page.getByRole('main').getByText('patient@example.com').waitFor();
    await page.getByText('partner apps cannot see any of this').waitFor();
  });
  await step('No key reads patients', async () => {
    const answer = await fetch(`${baseUrl}/api/v1/customers?limit=10`, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(403);
    expect(await answer.text()).not.toContain('patient@example.com');
  });
  await step('Reports cannot be shared', async () => {
    await page.goto(workspace.url('overview'));
    await page.getByRole('link', { name: /: Revenue, all\. Explain$/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Share', exact: true }).count()).toBe(0);
  });
  const admin = await workspace.member('admin');
  await admin.step('An admin cannot switch back', async () => {
    await admin.page.goto(workspace.url('settings'));
    await admin.page.getByLabel('Privacy mode').selectOption('Standard');
    await admin.page.getByText('Only an owner of the workspace').waitFor();
    expect(await admin.page.getByRole('button', { name: 'Change privacy mode' }).isEnabled()).toBe(false);
  });
  await step('The owner switches back with the password', async () => {
    await page.goto(workspace.url('settings'));
    await page.getByLabel('Privacy mode').selectOption('Standard');
    await page.getByLabel('Your password').fill(workspace.owner.password);
    await page.getByRole('button', { name: 'Change privacy mode' }).click();
    await page.getByLabel('Your password').waitFor({ state: 'detached' });
    await page.reload();
    await expect.poll(() => page.getByLabel('Privacy mode').inputValue()).toBe('standard');
  });
  expect([...complaints, ...admin.complaints]).toEqual([]);
});
