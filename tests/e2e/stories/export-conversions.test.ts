import { expect, test } from 'vitest';
import { connect } from './connect.ts';
import { openApiClient, paymentOf } from './open-api-client.ts';
import { hashed, reachNextRun, setUpExport } from './set-up-export.ts';
import { sharedInstallation } from './shared-installation.ts';

test('send conversions back to Meta, and see before what leaves and after what was sent', async () => {
  const installation = await sharedInstallation();
  const { sandbox, openWorkspace } = installation;
  const workspace = await openWorkspace();
  const { page, step, complaints } = workspace.owner;
  const { state, events } = sandbox.book.meta;
  const pixel = state.accounts.find(({ currency }) => currency === 'USD')?.pixels[0]?.id ?? '';
  const server = await openApiClient(installation, workspace);
  const run = page.getByRole('row').filter({ hasText: 'Completed' });

  await step('Connect Meta Ads', () => connect(page, workspace, 'Meta Ads', 'USD'));
  await step('Choose what Meta receives', () =>
    setUpExport(page, workspace, { account: 'Meta Ads, Sandbox ads USD', dataset: pixel, name: 'Purchase' }),
  );
  await step('Preview what the next run would send', async () => {
    const clicked = { ...paymentOf('meta-order-1', '120.00', 'ana@example.com'), click_ids: { fbclid: 'click-1' } };
    await server.createEvent({ body: clicked });
    await page.reload();
    await page.getByRole('button', { name: 'Meta Ads, Sandbox ads USD', exact: true }).click();
    const next = page.getByRole('region', { name: 'What the next run would send' });
    await next.getByText('Purchase, $120.00').waitFor();
    await next.getByText('with email hashed').waitFor();
    expect(events.kept.some(({ event_id }) => event_id === 'meta-order-1')).toBe(false);
  });
  await step('The run sends it', async () => {
    await expect.poll(() => reachNextRun(installation, workspace)).toBeGreaterThan(0);
    const received = () => events.kept.find(({ event_id }) => event_id === 'meta-order-1');
    await expect.poll(received).toMatchObject({
      dataset: pixel,
      event_name: 'Purchase',
      custom_data: { value: 120, currency: 'USD' },
      user_data: { em: [hashed('ana@example.com')], fbc: expect.stringContaining('click-1') },
    });
  });
  await step('The list of runs shows it', async () => {
    const isShown = async () => {
      await page.goto(workspace.url('exports'));
      return run.waitFor({ timeout: 3_000 }).then(
        () => true,
        () => false,
      );
    };
    await expect.poll(isShown).toBe(true);
    await run.getByText('Meta Ads').waitFor();
  });
  await step('Switch the export off: later payments stay here', async () => {
    await page.getByRole('button', { name: 'Set up Meta Ads, Sandbox ads USD' }).click();
    await page.getByLabel('Send these conversions').uncheck();
    await page.getByRole('button', { name: 'Save export' }).click();
    await page.getByRole('listitem').getByText('Off', { exact: true }).waitFor();
    await server.createEvent({ body: paymentOf('meta-order-2', '5.00', 'ana@example.com') });
    await page.reload();
    await page.getByRole('button', { name: 'Meta Ads, Sandbox ads USD', exact: true }).click();
    await page.getByText('Nothing is waiting to be sent.').waitFor();
  });
  expect(complaints).toEqual([]);
});

test('send conversions back to Google', async () => {
  const installation = await sharedInstallation();
  const { sandbox, openWorkspace } = installation;
  const workspace = await openWorkspace({ reportingCurrency: 'CLP' });
  const { page, step, complaints } = workspace.owner;
  const { state, events } = sandbox.book.google;
  const server = await openApiClient(installation, workspace);
  const account = 'Google Ads, Sandbox search CLP';

  await step('Connect Google Ads', () => connect(page, workspace, 'Google Ads', 'CLP'));
  await step('Choose what Google receives', () =>
    setUpExport(page, workspace, { account, dataset: state.customers[0]?.conversionAction ?? '', name: 'Purchase' }),
  );
  await step('The run sends a payment', async () => {
    const clicked = { ...paymentOf('google-order-1', '99.00', 'luis@example.com'), click_ids: { gclid: 'click-2' } };
    await server.createEvent({ body: clicked });
    await expect.poll(() => reachNextRun(installation, workspace)).toBeGreaterThan(0);
    const received = () => events.kept.find(({ transactionId }) => transactionId === 'google-order-1');
    await expect.poll(received).toMatchObject({
      conversionValue: 99,
      currency: 'USD',
      adIdentifiers: { gclid: 'click-2' },
      userData: { userIdentifiers: [{ emailAddress: hashed('luis@example.com') }] },
    });
  });
  await step('Google confirms it, and the list of runs shows it', async () => {
    const run = page.getByRole('row').filter({ hasText: 'Completed' });
    const isShown = async () => {
      await reachNextRun(installation, workspace);
      await page.goto(workspace.url('exports'));
      return run.waitFor({ timeout: 3_000 }).then(
        () => true,
        () => false,
      );
    };
    await expect.poll(isShown).toBe(true);
  });
  expect(complaints).toEqual([]);
});
