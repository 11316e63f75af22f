import { sweepFreshness } from '@tributary/domain/measurement/attribution/module.ts';
import { openTestWithClickHouse } from '@tributary/testkit';
import { minuteMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { film, openShop, winter } from './reports.fixture.ts';

const world = await openTestWithClickHouse();
const { kit } = world;
const { signal } = new AbortController();

type Shop = Awaited<ReturnType<typeof openShop>>;
const reports = (shop: Shop) => [
  ['/campaigns', {}],
  ['/campaigns/unattributed', {}],
  ['/campaigns/trend', { entity_ids: shop.entity('campaign', 'winter') }],
  ['/campaigns/winter/conversions', {}],
  ['/campaigns/platform-comparison', {}],
  ['/ads/film', {}],
  ['/overview', {}],
  ['/explain', { field: 'spend' }],
];

describe('Report metadata', () => {
  test('lists money and spend without an exchange rate; a sum of which nothing could be converted is null', async () => {
    const shop = await openShop(world);
    await shop.spend({ ...film, spend: '5000', currency: 'ARS' });
    shop.click('ana', 1, winter);
    await shop.pay('ana', 2, '700', { properties: { value: '700', currency: 'ARS' } });
    await shop.settle();
    const exclusions = [
      { of: 'payments', reason: 'no_exchange_rate', currency: 'ARS', count: 1, amount: '700.00' },
      { of: 'spend', reason: 'no_exchange_rate', currency: 'ARS', count: 1, amount: '5000.00' },
    ];
    for (const [path, query] of reports(shop)) {
      const { meta } = await shop.read(path as string, query as object);
      const hasSpend = !/unattributed|conversions/.test(path as string);
      expect([path, meta.exclusions]).toEqual([path, hasSpend ? exclusions : exclusions.slice(0, 1)]);
    }
    const nothingKnown = { spend: null, outcome_count: 1, outcome_value: null, roas: null, cac: null };
    expect((await shop.read('/ads/film')).data).toMatchObject({ ...nothingKnown, avg_cpm: null });
    const overview = (await shop.read('/overview')).data;
    expect(overview.totals).toMatchObject(nothingKnown);
    expect(overview.days[0]).toMatchObject({ spend: null, outcome_value: 0 });
    expect(overview.channels).toMatchObject([{ outcome_value: null }]);
    const { platforms } = (await shop.read('/campaigns/platform-comparison')).data;
    expect(platforms).toMatchObject([{ spend: null, atribu_cash_revenue: null, atribu_roas: null }]);
    for (const field of ['spend', 'outcome_value'])
      expect((await shop.read('/explain', { field, entity_id: 'film', level: 'ad' })).data.value).toBeNull();

    // Once part of it can be converted, the figure is that part, and the rest stays listed.
    await shop.spend({ ...film, date: '2026-05-02', spend: '30' });
    await shop.pay('ana', 3, '11.50');
    await shop.settle();
    const known = await shop.read('/ads/film');
    expect(known.data).toMatchObject({ spend: 30, outcome_count: 2, outcome_value: 11.5, cac: 15 });
    expect(known.meta.exclusions).toEqual(exclusions);
  });

  test('rounds unit costs to the digits of their currency', async () => {
    const shop = await openShop(world);
    await shop.spend({ ...film, spend: '100', impressions: 700, clicks: 3 });
    for (const person of ['ana', 'ben', 'cal']) {
      shop.click(person, 1, winter);
      await shop.pay(person, 2, '1');
    }
    await shop.settle();
    const costs = { cac: 33.33, cac_first_payment: 33.33, avg_cpc: 33.33, avg_cpm: 142.86 };
    expect((await shop.read('/ads/film')).data).toMatchObject(costs);
    const explained = await shop.read('/explain', { field: 'cac', entity_id: 'film', level: 'ad' });
    expect(explained.data.value).toBe('33.33');
  });

  test('freshness follows from the rows that wait, even when no worker runs', async () => {
    const shop = await openShop(world);
    await shop.pay('ana', 2, '5');
    await shop.spend({ ...film });
    await shop.settle();
    await shop.ledger.transaction((tx) => sql`DELETE FROM dirty_conversions`.execute(tx));
    const freshness = async () => (await shop.read('/campaigns')).meta.freshness;
    const current = { state: 'current', waiting_since: null };
    expect(await freshness()).toEqual({ attribution: current, delivery: current });

    await shop.pay('ben', 2, '5');
    await shop.spend({ ...film, spend: '7' });
    const marked = async (minutesAgo: number) => {
      const since = new Date(kit.clock.now().getTime() - minutesAgo * minuteMs);
      await shop.ledger.transaction(async (tx) => {
        await sql`UPDATE dirty_conversions SET marked_at = ${since}`.execute(tx);
        await sql`UPDATE dirty_entities SET marked_at = ${since}`.execute(tx);
        await sql`UPDATE dirty_delivery SET marked_at = ${since}`.execute(tx);
      });
      return since.toISOString();
    };
    const lately = await marked(4);
    const waiting = { state: 'current', waiting_since: lately };
    expect(await freshness()).toEqual({ attribution: waiting, delivery: waiting });
    const long = await marked(6);
    const late = { state: 'behind', waiting_since: long };
    expect(await freshness()).toEqual({ attribution: late, delivery: late });
    // Another report of the same row does not restart its wait.
    await shop.spend({ ...film, spend: '8' });
    expect(await freshness()).toEqual({ attribution: late, delivery: late });
  });
});

describe('A webhook subscriber', () => {
  test('[evnt-017] receives profile.freshness.changed when figures fall behind without a worker, and when they catch up', async () => {
    const shop = await openShop(world);
    const publishedFreshness = () =>
      shop.ledger.transaction(async (tx) => {
        const { rows } = await sql<{ freshness: string }>`
          SELECT payload->>'freshness' AS freshness FROM outbox WHERE type = 'profile.freshness.changed' AND profile_id = ${shop.profileId}
          ORDER BY id`.execute(tx);
        return rows.map(({ freshness }) => freshness);
      });
    const sweep = () => sweepFreshness(kit.app, kit.system, kit.clock.now(), signal);
    await shop.pay('ana', 2, '5');
    const ago = (minutes: number) => new Date(kit.clock.now().getTime() - minutes * minuteMs);
    await shop.ledger.transaction((tx) => sql`UPDATE dirty_conversions SET marked_at = ${ago(4)}`.execute(tx));
    await sweep();
    expect(await publishedFreshness()).toEqual([]);
    await shop.ledger.transaction((tx) => sql`UPDATE dirty_conversions SET marked_at = ${ago(6)}`.execute(tx));
    await sweep();
    await sweep();
    expect(await publishedFreshness()).toEqual(['behind']);

    await shop.attribute();
    await sweep();
    expect(await publishedFreshness()).toEqual(['behind', 'current']);
  });
});
