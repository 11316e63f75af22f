import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { money } from '../../apps/console/source/format.ts';
import type { PeopleScene } from './console-people-scene.ts';

/** Answers a marketer's questions, starting from Overview. Each answer is at most three clicks away. */
export async function askTenQuestions(page: Page, scene: Pick<PeopleScene, 'mia' | 'nextMinute'>): Promise<void> {
  const { winner, loser } = scene.mia;
  const rowsOf = (of: Page): Locator => of.locator('tbody tr');
  const steps = (of: Page): Locator => of.getByRole('list', { name: 'Journey' }).getByRole('listitem');
  const start = page.url();
  let presses = 0;
  const press = async (what: Locator) => {
    presses += 1;
    expect(presses).toBeLessThanOrEqual(3);
    await what.click();
  };
  const go = (title: string) =>
    press(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title, exact: true }));
  const again = async () => {
    presses = 0;
    scene.nextMinute();
    await page.goto(start);
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  };
  const main = page.locator('main');

  // Which ads earned most?
  const earners = page.getByRole('region', { name: 'What earned most' });
  await press(earners.getByRole('radio', { name: 'Ads' }));
  await earners
    .getByRole('row', { name: winner.name })
    .filter({ hasText: money(100, 'USD') })
    .waitFor();

  // Why did this ad get its revenue?
  await again();
  await press(earners.getByRole('link', { name: /: Revenue, / }).first());
  const panel = page.getByRole('dialog');
  await panel.getByText('The figure in the report').waitFor();
  await panel.getByText(winner.name.replaceAll(' | ', ' › ')).first().waitFor();

  // What changed compared with the period before?
  await again();
  await page.getByLabel('Compared with').waitFor();
  expect(await page.getByLabel('Compared with').inputValue()).toBe('period');

  // Does Meta claim too much?
  await go('Platforms');
  await main.getByText('It claims 300% more than we credit it with.').waitFor();
  // How much does a new customer cost per channel?
  const cost = page.getByRole('region', { name: 'What a new customer costs' });
  await cost
    .getByRole('row', { name: 'Meta Ads' })
    .filter({ hasText: money(66, 'USD') })
    .waitFor();

  // What did this customer see before paying?
  await again();
  await go('Customers');
  await press(page.getByRole('link', { name: 'Mia Vidal' }).first());
  await steps(page).getByText('Page /boots').waitFor();

  // Which ads lose money?
  await again();
  await go('Campaigns');
  await press(page.getByRole('radio', { name: 'Ads', exact: true }));
  await page.getByRole('heading', { name: 'Ads', level: 1 }).waitFor();
  await press(page.getByRole('columnheader', { name: 'Spend' }).getByRole('button'));
  await expect.poll(() => rowsOf(page).first().textContent()).toContain(loser.name);
  expect(await rowsOf(page).first().textContent()).toContain(money(0, 'USD'));

  // Pause that ad: preview, apply, undo.
  await again();
  await go('Campaigns');
  await press(page.getByRole('radio', { name: 'Ads', exact: true }));
  await press(page.getByRole('button', { name: `Pause ${loser.name}` }));
  await main.getByText('Tried without sending anything').waitFor();
  expect(loser.status).toBe('ACTIVE');
  await page.getByRole('button', { name: 'Pause now' }).click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  expect(loser.status).toBe('PAUSED');
  await page.getByRole('button', { name: 'Undo' }).click();
  await main.getByText('Taken back').waitFor();
  expect(loser.status).toBe('ACTIVE');
  presses = 0;
  await go('Ad actions');
  await expect.poll(() => rowsOf(page).count()).toBe(2);

  // Is tracking receiving data? Who accessed customer data?
  await again();
  await go('Tracking');
  await page.getByRole('region', { name: 'Is it alive' }).waitFor();
  await again();
  await go('Who read people');
  await main.getByText('Read customer journey').first().waitFor();
}

/** Daily tasks after the ten questions: filter a report, save it, return to it, and see changes on the chart. */
export async function keepHabits(page: Page, scene: Pick<PeopleScene, 'mia' | 'nextMinute' | 'today'>): Promise<void> {
  const { winner } = scene.mia;
  const rows = page.locator('tbody tr');
  const address = new URL(page.url());
  const go = async (screen: string, search: Record<string, string> = {}) => {
    scene.nextMinute();
    const next = new URL(address.pathname.replace(/[^/]*$/, screen), address);
    next.search = new URLSearchParams({ from: address.searchParams.get('from') ?? '', ...search }).toString();
    await page.goto(next.href);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
  const today = scene.today();

  // Clicking a platform's name filters by it; clicking again removes the filter.
  await go('campaigns', { level: 'ad', to: today });
  const row = rows.filter({ hasText: winner.name }).first();
  await row.getByRole('button', { name: 'Meta Ads' }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('only')).toBe('{"platform":"social_ads"}');
  await row.getByRole('button', { name: 'Active' }).click();
  await expect.poll(() => page.url()).toContain('ACTIVE');

  // Saves a view under a name, and opens it from another page.
  await page.getByText('Save view').click();
  await page.getByLabel('Name of the view').fill('Running on Meta');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await go('overview', { to: today });
  const saved = page.getByRole('region', { name: 'Saved views' });
  await saved.getByRole('link', { name: 'Running on Meta' }).click();
  await page.getByRole('heading', { name: 'Ads', level: 1 }).waitFor();
  expect(page.url()).toContain('ACTIVE');
  await row.waitFor();
  await saved.getByRole('button', { name: 'Remove Running on Meta' }).click();
  await saved.waitFor({ state: 'detached' });

  // The explanation opens beside the report without covering it.
  await page.setViewportSize({ width: 1440, height: 900 });
  await page
    .getByRole('link', { name: /: Revenue, / })
    .first()
    .click();
  const panel = page.getByRole('dialog');
  await panel.getByText('The figure in the report').waitFor();
  const edges = await Promise.all([page.locator('main').boundingBox(), panel.boundingBox()]);
  expect((edges[0]?.x ?? 0) + (edges[0]?.width ?? 0)).toBeLessThanOrEqual(edges[1]?.x ?? 0);

  // The changes at the platforms by day.
  await go('overview', { to: today });
  await page.getByText('Changes at ad platforms, the dotted lines').click();
  await page
    .getByRole('list', { name: /^Changes at ad platforms/ })
    .getByText('Pause ad, Meta Ads')
    .waitFor();
}
