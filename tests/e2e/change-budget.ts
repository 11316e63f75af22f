import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { days, type PeopleScene } from './console-people-scene.ts';

/** Changes the budget of an ad set from its row and from its campaign's: preview, apply, undo. */
export async function changeBudgets(
  page: Page,
  { mia, nextMinute }: Pick<PeopleScene, 'mia' | 'nextMinute'>,
): Promise<void> {
  const { adSet } = mia.winner;
  adSet.dailyBudget = '5000';
  const { campaign } = adSet;
  campaign.dailyBudget = undefined;
  nextMinute();
  const address = (level: string) =>
    new URL(`campaigns?level=${level}&from=${days.from}&to=${days.to}`, page.url()).href;
  await page.goto(address('ad_set'));
  await page.getByRole('button', { name: `Change budget of ${adSet.name}`, exact: true }).click();
  const panel = page.getByRole('region', { name: `Daily budget of ${adSet.name}` });
  await panel.getByText('$50.00 per day').waitFor();
  await panel.getByLabel('New daily budget, USD').fill('61.50');
  await panel.getByRole('button', { name: 'Preview change' }).click();
  await panel.getByText(/Dry run, nothing is changed yet: .* \$50\.00 per day to \$61\.50 per day/).waitFor();
  expect(adSet.dailyBudget).toBe('5000');
  await panel.getByRole('button', { name: 'Apply change' }).click();
  await panel.getByText(/went from \$50\.00 per day to \$61\.50 per day/).waitFor();
  expect(adSet.dailyBudget).toBe('6150');
  await panel.getByRole('button', { name: 'Undo' }).click();
  await panel.getByText('Undone').waitFor();
  expect(adSet.dailyBudget).toBe('5000');

  // The campaign has no budget of its own, so its panel lists the ad sets with their live budgets.
  adSet.dailyBudget = '8000';
  nextMinute();
  await page.goto(address('campaign'));
  await page.getByRole('button', { name: `Change budget of ${campaign.name}`, exact: true }).click();
  await page
    .getByRole('list', { name: 'Ad sets' })
    .getByRole('button', { name: `Change budget of ${adSet.name}` })
    .click();
  await panel.getByText('$80.00 per day').waitFor();
  // A change of more than half is refused before anything is sent.
  await panel.getByLabel('New daily budget, USD').fill('200');
  await panel.getByRole('button', { name: 'Preview change' }).click();
  expect(await panel.getByRole('button', { name: 'Apply change' }).count()).toBe(0);
}
