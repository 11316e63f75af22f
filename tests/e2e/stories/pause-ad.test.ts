import { expect, test } from 'vitest';
import { connect } from './connect.ts';
import { sharedInstallation } from './shared-installation.ts';

test('pause an ad at Meta after a dry run, and resume it from the list of changes', async () => {
  const { sandbox, openWorkspace } = await sharedInstallation();
  const workspace = await openWorkspace();
  const { page, step, complaints } = workspace.owner;
  const { state } = sandbox.book.meta;
  const ad = state.ads.find(({ account, status }) => account.currency === 'USD' && status === 'ACTIVE');
  if (!ad) return expect.unreachable('The account has no active ad.');
  const { name } = ad.of;
  const pause = page.getByRole('button', { name: `Pause ${name}`, exact: true });

  await step('Connect Meta Ads', () => connect(page, workspace, 'Meta Ads', 'USD'));
  await step('See what a pause would do', async () => {
    const isShown = async () => {
      await page.goto(`${workspace.url('campaigns')}?level=ad`);
      return pause
        .first()
        .waitFor({ timeout: 5_000 })
        .then(
          () => true,
          () => false,
        );
    };
    await expect.poll(isShown, { timeout: 60_000 }).toBe(true);
    await pause.click();
    await page.getByText(`Tried without sending anything: ${name} would go from active to paused`).waitFor();
    expect(ad.status).toBe('ACTIVE');
  });
  await step('Pause it', async () => {
    await page.getByRole('button', { name: 'Pause now' }).click();
    await page.getByText(`${name}: active before, paused now.`).waitFor();
    expect(ad.status).toBe('PAUSED');
  });
  await step('The list of changes names it', async () => {
    await page.goto(workspace.url('ad-actions'));
    await page.getByRole('row').filter({ hasText: name }).getByText('Applied').waitFor();
  });
  await step('Undo it there', async () => {
    await page.getByRole('row').filter({ hasText: name }).getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => ad.status).toBe('ACTIVE');
    await expect.poll(() => page.getByRole('row').filter({ hasText: name }).count()).toBe(2);
  });
  await step('Campaigns offers to pause it again', async () => {
    await page.goto(`${workspace.url('campaigns')}?level=ad`);
    await pause.waitFor();
  });
  expect(complaints).toEqual([]);
});
