import { expect, test } from 'vitest';
import { connect } from './connect.ts';
import { expectFigure, figure } from './report.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openShopServer } from './shop-server.ts';

/** Models are trained on at least two thousand purchases. */
const purchases = 2_000;

// Takes longer than ten seconds: an ad account is connected, and models are trained on thousands of purchases.
test('an owner trains the models, reads the incremental effect of ads and follows the advice on a budget', async () => {
  const installation = await sharedInstallation();
  // The currency of the first account at Google.
  const workspace = await installation.openWorkspace({ reportingCurrency: 'CLP' });
  const server = await openShopServer(installation, workspace);
  const { state } = installation.sandbox.book.google;
  const chosen = state.campaigns.find(
    ({ customer, budget, isPerformanceMax }) => customer.currency === 'CLP' && !budget.isShared && !isPerformanceMax,
  );
  const ad = state.ads.find(({ adGroup }) => adGroup.campaign === chosen);
  if (!chosen || !ad) return expect.unreachable('The account has no campaign with a budget of its own.');
  const before = chosen.budget.micros;
  chosen.budget.micros = 40_000_000_000n;
  const campaign = chosen.of.name;
  const { page, step, complaints } = workspace.owner;
  const fit = page.getByRole('region', { name: 'How the models stand' });
  const customer = (nth: number, of: string) => ({ user_traits: { external_id: `${of}-${nth}` } });
  const at = (nth: number) => 2 + (nth % 400) / 10;
  const answersAd = (nth: number, of: string, id: string) => ({
    event_name: 'lead_created',
    idempotency_key: `lead-${of}-${nth}`,
    occurred_at: server.daysAgo(at(nth) + 1),
    ad_id: id,
    platform: 'search_ads' as const,
    ...customer(nth, of),
  });

  await step('Without purchases there is no figure', async () => {
    await page.goto(workspace.url('models'));
    await page.getByText('There is no figure, and none is made up').waitFor();
    await page.getByRole('button', { name: 'Learn now' }).click();
    await fit.getByText('There are too few purchases to learn from.').waitFor();
  });

  await step('Connect Google Ads', () => connect(page, workspace, 'Google Ads'));

  await step('The shop sells to those who answered one ad, and hardly to others', async () => {
    const others = state.ads.filter(
      ({ adGroup }) => adGroup.campaign.customer === chosen.customer && adGroup.campaign !== chosen,
    );
    const each = Array.from({ length: purchases }, (_, nth) => nth);
    await server.sendAll(each.map((nth) => answersAd(nth, 'buyer', ad.of.externalId)));
    await server.sendAll(
      each.slice(0, 300).map((nth) => answersAd(nth, 'reader', others[nth % others.length]?.of.externalId ?? '')),
    );
    await server.sendAll(
      each.map((nth) => ({
        event_name: 'payment_received',
        idempotency_key: `order-${nth}`,
        occurred_at: server.daysAgo(at(nth)),
        properties: { value: '45000', currency: 'CLP' },
        ...customer(nth, 'buyer'),
      })),
    );
    const url = `${workspace.url('campaigns')}?from=${server.daysAgo(60).slice(0, 10)}&to=${server.daysAgo(0).slice(0, 10)}`;
    await expectFigure(page, url, figure(page, 'Payments', campaign), purchases.toLocaleString('en'));
  });

  await step('Have the models learn', async () => {
    await page.goto(workspace.url('models'));
    await page.getByRole('button', { name: 'Learn now' }).click();
    await fit.getByText(/^Learned .* from .* people and 2,000 purchases/).waitFor();
    const row = page.getByRole('row').filter({ hasText: campaign }).first();
    await row.waitFor();
  });

  await step('Ask for advice at a margin of 40%', async () => {
    await page.getByLabel('Margin, %').fill('40');
    await page.getByRole('button', { name: 'Show advice' }).click();
    const advised = page.getByRole('list', { name: 'Which budgets to change' }).getByRole('listitem');
    await advised.filter({ hasText: campaign }).getByText('Raise by 30%').waitFor();
  });

  await step('Follow it: preview and apply the advised budget', async () => {
    const advised = page.getByRole('list', { name: 'Which budgets to change' }).getByRole('listitem');
    await advised.filter({ hasText: campaign }).getByRole('button', { name: 'Change budget' }).first().click();
    const panel = page.getByRole('region', { name: `Daily budget of ${campaign}` });
    await panel.getByText(/52,000 per day \(\+30%\)/).waitFor();
    await panel.getByRole('button', { name: 'Preview change' }).click();
    await panel.getByText(/would go from .*40,000 per day to .*52,000 per day/).waitFor();
    expect(chosen.budget.micros).toBe(40_000_000_000n);
    await panel.getByRole('button', { name: 'Apply change' }).click();
    await panel.getByText(/went from .*40,000 per day to .*52,000 per day/).waitFor();
    expect(chosen.budget.micros).toBe(52_000_000_000n);
    chosen.budget.micros = before;
  });
  expect(complaints).toEqual([]);
});
