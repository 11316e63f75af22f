import { expect, test } from 'vitest';
import { connect } from './connect.ts';
import { sharedInstallation } from './shared-installation.ts';

test('change a budget at Meta after a dry run, and undo it', async () => {
  const { sandbox, openWorkspace } = await sharedInstallation();
  const workspace = await openWorkspace();
  const { page, step, complaints } = workspace.owner;
  const adSet = sandbox.book.meta.state.adSets.find(
    ({ account, dailyBudget }) => account.currency === 'USD' && dailyBudget,
  );
  if (!adSet) return expect.unreachable('The account has no ad set with a budget.');
  adSet.dailyBudget = '5000';
  const { name } = adSet.of;
  const panel = page.getByRole('region', { name: `Daily budget of ${name}` });

  await step('Connect Meta Ads', () => connect(page, workspace, 'Meta Ads', 'USD'));
  await step('Open the budget of an ad set', async () => {
    const button = page.getByRole('button', { name: `Change budget of ${name}`, exact: true });
    const isShown = async () => {
      await page.goto(`${workspace.url('campaigns')}?level=ad_set`);
      return button.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
    };
    await expect.poll(isShown, { timeout: 60_000 }).toBe(true);
    await button.click();
    await panel.getByText('$50.00 per day').waitFor();
  });
  await step('More than half at once is refused', async () => {
    await panel.getByLabel('New daily budget, USD').fill('200');
    await panel.getByRole('button', { name: 'Preview change' }).click();
    expect(await panel.getByRole('button', { name: 'Apply change' }).count()).toBe(0);
  });
  await step('Preview a change', async () => {
    await panel.getByLabel('New daily budget, USD').fill('61.50');
    await panel.getByRole('button', { name: 'Preview change' }).click();
    await panel.getByText(`${name} would go from $50.00 per day to $61.50 per day`).waitFor();
    expect(adSet.dailyBudget).toBe('5000');
  });
  await step('Apply it', async () => {
    await panel.getByRole('button', { name: 'Apply change' }).click();
    await panel.getByText(`${name} went from $50.00 per day to $61.50 per day.`).waitFor();
    expect(adSet.dailyBudget).toBe('6150');
  });
  await step('Undo it', async () => {
    await panel.getByRole('button', { name: 'Undo' }).click();
    await panel.getByText(`Undone: ${name} is back at $50.00 per day.`).waitFor();
    expect(adSet.dailyBudget).toBe('5000');
  });
  await step('Ad actions lists both changes', async () => {
    await page.goto(workspace.url('ad-actions'));
    const rows = page.getByRole('row').filter({ hasText: name });
    await expect.poll(() => rows.count()).toBe(2);
    await rows.getByText('by owner').first().waitFor();
  });
  expect(complaints).toEqual([]);
});
