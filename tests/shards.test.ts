import { randomBytes, randomUUID } from 'node:crypto';
import {
  type ClickHouseSettings,
  createClickHouse,
  deleteProfileRows,
  dropOldVisits,
  erasePeople,
  migrate,
  raw,
} from '@tributary/clickhouse';
import { tableOwners } from '@tributary/clickhouse/owners.ts';
import { saveRates } from '@tributary/domain/commerce/money/module.ts';
import { fitModels } from '@tributary/domain/measurement/models/module.ts';
import { reconciliations } from '@tributary/domain/measurement/reconciliation/module.ts';
import { rebuildProfile } from '@tributary/domain/measurement/top-performers/module.ts';
import { Supervisor } from '@tributary/engines';
import { BooksServer, buildProfile, openApi, openTestkit } from '@tributary/testkit';
import { fittedModelNames } from '@tributary/vocabulary';
import { afterAll, expect, test } from 'vitest';
import { banner, film, may, openShop, outlet, winter } from '../domain/measurement/reports/reports.fixture.ts';
import { clickhouseTables } from '../domain/privacy/erasures/registry.ts';
import { catalogue } from '../packages/clickhouse/queries.ts';
import { createTwin } from './kit/twin.ts';

/**
 * Runs the same events for two profiles on a cluster of two shards, one profile on each, and on a single node. Every query is sent to both
 * and the answers are compared; in the end all rows are compared, too.
 */

const run = randomBytes(4).toString('hex');
const sets = [1, 2].map((shard) => new Supervisor(`test-twin-${shard}-${run}`));
const { signal } = new AbortController();

await sets[0]?.joinClickHouse(sets.slice(1));
const nodes = (await Promise.all(sets.map((set) => set.start(['clickhouse'])))).map((one) => one.CLICKHOUSE_URL ?? '');
afterAll(() => Promise.all(sets.map((set) => set.destroy())));
const spread: ClickHouseSettings = { url: nodes[0] ?? '', database: 'spread', cluster: { name: 'tributary', nodes } };
const alone: ClickHouseSettings = { url: nodes[1] ?? '', database: 'alone' };
await Promise.all([migrate(spread), migrate(alone)]);
const { client, asked, differences } = createTwin(
  createClickHouse(spread),
  createClickHouse(alone),
  // Columns that may differ: the number of parts, the time of writing and the memory used.
  new Set(['visits_parts', 'touches_parts', 'written_at', 'memory']),
);
afterAll(() => client.close());
const kit = await openTestkit();
afterAll(() => kit.close());
const api = await openApi(kit, { clickhouse: client });
afterAll(() => api.close());
const engines = { app: kit.app, clickhouse: client };

/** Queries that this test does not run. */
const uncovered = new Set<string>([
  // Administration of the store.
  'migration_list_applied',
  'mutation_read_pending',
  'profile_table_list',
  'table_list',
  'visit_list_old_quarters',
  // Also counts rows that a merge will remove, so the results differ.
  'conversion_first',
  // Closed months, totals of ad accounts, days with differences, spend without a rate, exported files and click ids:
  // these queries consist of parts that other queries use, too.
  'delivery_list_told',
  'report_compare_days',
  'report_list_values',
  'delivery_list_without_rate',
  'attributed_list',
  'attributed_sum',
  'source_find_entities',
]);

const scopes = [
  'campaigns:read',
  'attribution:write',
  'goals:write',
  'customers:read',
  'conversions:read',
  'analytics:read',
  'visitors:read',
] as const;
type Shop = Awaited<ReturnType<typeof openShop>>;

/** Opens one shop on each shard. */
async function openShops(): Promise<[Shop, Shop]> {
  const shops: Shop[] = [];
  while (shops.length < 2) {
    const { id } = await buildProfile(kit.app);
    const [hash] = await client.query(raw<{ shard: number }>('SELECT cityHash64({id:UUID}) % 2 AS shard'), { id });
    if (Number(hash?.shard) !== shops.length) continue;
    shops.push(await openShop({ kit, api, clickhouse: client }, { profileId: id, scopes, requestsPerMinute: 100_000 }));
  }
  return shops as [Shop, Shop];
}

/** Records clicks, payments and spend. */
async function recordActivity(shop: Shop): Promise<void> {
  const visitorId = randomUUID();
  const seen = { visitor_id: visitorId, channel: 'paid_social', platform: 'social_ads' };
  await shop.visit({ ...seen, occurred_at: may(1), received_at: may(1), ad_external_id: 'film' });
  await shop.visit({ ...seen, occurred_at: may(2), received_at: may(2), ad_external_id: 'unheard' });
  for (const [person, day, named] of [
    ['ana', 1, winter],
    ['ana', 3, outlet],
    ['ana', 3.5, {}],
    ['ben', 1.5, { campaign: 'outlet' }],
    ['eva', 2, { ad: 'film' }],
  ] as const)
    shop.click(person, day, named);
  await shop.pay('ana', 5, '100', { idempotency_key: 'first' });
  await shop.pay('ben', 6, '40', { idempotency_key: 'second' });
  await shop.pay('eva', 7, '60', { idempotency_key: 'third', ad_id: 'other' });
  await shop.pay('leo', 7, '9', { idempotency_key: 'nobody' });
  await shop.lead('ana', 4);
  await shop.spend({ ...film, spend: '10', currency: 'EUR', impressions: 5_000 }, { ...banner, spend: '7' });
  await shop.link(visitorId, 'leo@example.test');
  await shop.settle();
}

/** Changes a payment, spend and clicks; resolves to the time before the changes. */
async function change(shop: Shop): Promise<string> {
  await shop.attribute();
  const before = new Date().toISOString();
  await new Promise((done) => setTimeout(done, 5));
  const refund = { event_name: 'refund', refund_of: 'first', occurred_at: may(9), idempotency_key: 'back' };
  await shop.post('/api/v1/events', { ...refund, properties: { value: '30', currency: 'USD' } });
  await shop.pay('ben', 8, '45', { idempotency_key: 'second' });
  await shop.spend({ ...film, spend: '12', currency: 'EUR', campaign_external_id: 'spring', campaign_name: 'Spring' });
  await shop.attribute();
  shop.click('ben', 1.7, winter);
  await shop.settle();
  return before;
}

const idsOf = async (table: 'customers' | 'outcomes', { ledger, profileId }: Shop): Promise<string[]> => {
  const rows = await ledger.transaction((tx) =>
    tx.selectFrom(table).select('id').where('profile_id', '=', profileId).execute(),
  );
  return rows.map(({ id }) => id);
};

/** Reads every report, with and without `as_of`. */
async function readAll(shop: Shop, before: string): Promise<void> {
  const entity_id = shop.entity('campaign', 'winter');
  const changed = { from: before, to: kit.clock.now().toISOString() };
  const then = { as_of: before };
  const reports: [path: string, query: object][] = [
    ['/overview', {}],
    ['/campaigns', { model: 'linear', level: 'campaign' }],
    ['/campaigns', { model: 'first_touch', level: 'ad', ...then }],
    ['/campaigns/unattributed', { model: 'time_decay', level: 'ad_set' }],
    ['/campaigns/trend', { level: 'ad', entity_ids: shop.entity('ad', 'film') }],
    ['/campaigns/platform-comparison', { model: 'position_based' }],
    [`/campaigns/${entity_id}/conversions`, { level: 'campaign', ...then }],
    ['/ads/film', { model: 'last_non_direct' }],
    ['/ads/unheard', {}],
    ['/explain', { model: 'linear', field: 'outcome_value', entity_id }],
    ['/explain', { field: 'spend', ...then }],
    ['/changes', { field: 'outcome_value', ...changed }],
    ['/changes', { field: 'spend', ...changed }],
    ['/changes/rows', { field: 'outcome_value', ...changed }],
    ['/cohorts', { level: 'campaign' }],
    ['/tracking/quality', {}],
    ['/explain', { report: 'top_performers', field: 'spend', entity_id: shop.entity('ad', 'film'), window: '28d' }],
    ['/customers', { goal: 'payment_received' }],
  ];
  const plain = [
    '/tracking/ops',
    '/tracking/events',
    '/tracking/events?channel=paid_social',
    '/quality/ad-ids',
    '/top-performers?window=28d',
  ];
  const range = { date_from: '2026-05-01', date_to: '2026-05-31' };
  const paths = reports.map(([path, query]) => `${path}?${new URLSearchParams({ ...range, ...query })}`);
  const journeys = (await idsOf('outcomes', shop)).map((id) => `/conversions/${id}/journey`);
  const responses = [];
  for (const path of [...paths, ...plain, ...journeys]) responses.push(await shop.ask(`/api/v1${path}`));
  for (const path of journeys.slice(0, 2)) responses.push(await shop.ask(`/api/v1${path}`, shop.projected));
  const refused = responses.filter(({ status }) => status !== 200).map(({ body }) => body);
  expect(refused).toEqual([]);
}

/** Inserts enough customers of the last months for models to be fitted; ClickHouse generates them. */
async function fill(shop: Shop, day: string): Promise<void> {
  const entity = (name: string) => `toUUID('${shop.entity('campaign', name)}')`;
  const insert = (text: string) => client.command(raw(text), {});
  await insert(`
    INSERT INTO touches (profile_id, visitor_id, occurred_at, touch_id, session_id, channel, source, medium, platform, campaign_id)
    SELECT '${shop.profileId}', reinterpretAsUUID(sipHash128(number)), toDateTime64('${day} 12:00:00', 3, 'UTC') - INTERVAL (number % 90) DAY - INTERVAL nth * 20 HOUR,
      reinterpretAsUUID(sipHash128(number, nth)), reinterpretAsUUID(sipHash128(number, nth, 's')),
      if(kind = 2, 'direct', 'paid_social'), if(kind = 2, 'direct', 'facebook'), if(kind = 2, '', 'paid'), if(kind = 2, '', 'social_ads'),
      multiIf(kind = 0, ${entity('winter')}, kind = 1, ${entity('outlet')}, toUUID('00000000-0000-0000-0000-000000000000'))
    FROM (SELECT number, nth, (number + nth) % 3 AS kind FROM numbers(6600) ARRAY JOIN range(toUInt32(number % 3 + 1)) AS nth)`);
  await insert(`
    INSERT INTO attributed_conversions (profile_id, conversion_time, conversion_id, version, person_id, is_anonymous, conversion_type, revenue_type,
      value, has_value, currency, lookback_days, touch_count, touch_ids, touch_times, source_ids, applied_at)
    SELECT profile_id, max(occurred_at) + INTERVAL 1 HOUR, visitor_id, 1, visitor_id, true, 'purchase', 'cash', 1 + cityHash64(visitor_id) % 9999, true, 'USD', 90,
      count(), arraySort((one, at) -> at, groupArray(touch_id), groupArray(occurred_at)), arraySort(groupArray(occurred_at)),
      arraySort((one, at) -> at, groupArray(source_id), groupArray(occurred_at)), toDateTime64('${day} 13:00:00', 3, 'UTC')
    FROM touches FINAL WHERE profile_id = '${shop.profileId}' AND channel != 'email' AND cityHash64(visitor_id) % 3 = 0 GROUP BY profile_id, visitor_id`);
}

/** Fits the models and reads their credits. */
async function fitAndReadModels(shop: Shop): Promise<void> {
  const fitted = await shop.post('/api/v1/models/fits', {});
  const day = (ago: number) => new Date(Date.parse(fitted.requested_at) - ago * 86_400_000).toISOString().slice(0, 10);
  await fill(shop, day(1));
  const deps = { ...engines, now: () => new Date(fitted.requested_at) };
  await fitModels(deps, { profileId: shop.profileId, fitId: fitted.id }, signal);
  const { latest_fit } = (await shop.ask('/api/v1/models')).body.data;
  expect(latest_fit).toMatchObject({ id: fitted.id, state: 'done' });
  for (const model of fittedModelNames)
    expect((await shop.ask(`/api/v1/models/${model}/campaigns?date_from=${day(100)}&date_to=${day(0)}`)).status).toBe(
      200,
    );
  await shop.ask('/api/v1/advice?margin_pct=40');
}

/** Compares a hash of all rows of each table, except the staging tables of attribution. */
async function compareTables(): Promise<void> {
  for (const table of Object.keys(tableOwners).filter((name) => !/^attribution_(?!history)|^schema_/.test(name))) {
    await client.query(
      raw(`SELECT '${table}', count(), sum(cityHash64(* EXCEPT written_at)) AS hash FROM ${table} FINAL`),
      {},
    );
  }
}

/** Runs the remaining queries: reconciliation, links of partners, and profiles to fit. */
async function runOtherQueries(shop: Shop): Promise<void> {
  const { profileId } = shop;
  const books = new BooksServer().services();
  const queue = reconciliations({ ...engines, ...books, now: () => kit.clock.now() });
  const range = { date_from: '2026-05-05', date_to: '2026-05-05' };
  const { id } = await shop.post('/api/v1/reconciliations', { ...range, books: ['columns', 'reports', 'ad_accounts'] });
  const { items } = await queue.load(profileId, 10, signal);
  await queue.work({ key: profileId, items, signal } as Parameters<typeof queue.work>[0]);
  expect((await shop.ask(`/api/v1/reconciliations/${id}`)).body.data).toMatchObject({ state: 'done' });
  const period = { from: new Date(may(1)), until: new Date(may(31)) };
  const visitors = await client.query(
    raw<{ id: string }>(
      'SELECT DISTINCT visitor_id AS id FROM touches WHERE profile_id = {profileId:UUID} ORDER BY id LIMIT 100',
    ),
    { profileId },
  );
  const visitor_ids = visitors.map(({ id }) => id);

  await client.query('conversion_list_groups', {
    profile_id: profileId,
    ...period,
    time_zone: 'UTC',
    buckets_of_day: 64,
    marked: [1, 2],
    since: period.until,
  });
  await client.query('touch_list_of_visitors', {
    profile_id: profileId,
    visitor_ids,
    since: period.from,
    until: period.until,
    limit: 100,
  });
  await client.query('conversion_list_compared', {
    profile_id: profileId,
    ...period,
    time_zone: 'UTC',
    buckets_of_day: 64,
    buckets: Array.from({ length: 64 }, (_, bucket) => (64 * Date.parse('2026-05-05')) / 86_400_000 + bucket),
    limit: 100,
  });
  await client.query('visit_list_arrivals', { profile_id: profileId, visitor_ids, session_ids: visitor_ids });
  await client.query('ad_list_cohort', {
    profile_id: profileId,
    score_window: '28d',
    cohort_key: Array(6).fill('*').join('|'),
  });
  await client.query('visit_count', { profile_id: profileId, from: period.from, to: period.until });
  await client.query('model_list_changed', { ...period, least: 1 });
}

/** Erases all customers, then a profile, then old visits, and compares the remaining rows. */
async function forget(near: Shop, far: Shop): Promise<void> {
  const personIds = [...(await idsOf('customers', near)), ...(await idsOf('customers', far))];
  const people = {
    profileIds: [near.profileId, far.profileId],
    visitorIds: (await client.query(raw<{ id: string }>('SELECT DISTINCT visitor_id AS id FROM visits'), {})).map(
      ({ id }) => id,
    ),
    personIds,
    shellIds: personIds.map(() => randomUUID()),
  };
  // For the other tables it also counts rows that a merge will remove, so only visits are compared.
  for (const store of [spread, alone])
    expect(await erasePeople(store, clickhouseTables, people, signal)).toMatchObject({ visits: 4 });
  await compareTables();
  for (const store of [spread, alone]) {
    await expect.poll(() => deleteProfileRows(store, far.profileId)).toBe(0);
    await dropOldVisits(store, 1, new Date('2027-01-01'), signal);
  }
  await compareTables();
  const left = raw<{ n: string }>('SELECT count() AS n FROM visits');
  expect(await client.query(left, {})).toEqual([{ n: '0' }]);
}

test('two shards give the same reports, attribution, fits and erasures as a single node', {
  timeout: 300_000,
}, async () => {
  kit.clock.set(new Date());
  await saveRates(kit.system, 'file', [
    { day: '2026-04-01', currency: 'USD', units: '1', usd: '1' },
    { day: '2026-04-01', currency: 'EUR', units: '0.5', usd: '1' },
  ]);
  const [near, far] = await openShops();
  for (const shop of [near, far]) await recordActivity(shop);
  const before = await change(far);
  kit.clock.set(new Date(Date.now() + 60_000));
  for (const { profileId } of [near, far])
    await rebuildProfile(engines, profileId, new Date('2026-05-28T00:00:00Z'), signal);
  await readAll(far, before);
  await near.read('/campaigns', { model: 'linear', level: 'ad', as_of: before });
  await fitAndReadModels(far);
  await runOtherQueries(far);
  await compareTables();
  await forget(near, far);
  expect(differences).toEqual([]);
  expect(Object.keys(catalogue).filter((name) => !asked.has(name) && !uncovered.has(name))).toEqual([]);
});
