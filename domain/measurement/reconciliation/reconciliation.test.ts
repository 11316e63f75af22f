import { conversionIdOf } from '@tributary/rules';
import { BooksServer, buildConnection, mutate, openTestWithClickHouse, scene } from '@tributary/testkit';
import { dayMs, differenceKindNames, hourMs, limits, reconciledBookNames } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { reconcileNightly, reconcileWeekly } from './reconcile-nightly.job.ts';
import { reconciliations } from './reconciliations.queue.ts';
import { countDifferences } from './store.ts';

const world = await openTestWithClickHouse();
const { kit, clickhouse } = world;
const day = (number: number) => new Date(Date.UTC(2026, 2, number, 15)).toISOString();
const range = { date_from: '2026-03-01', date_to: '2026-03-31' };
const providerBook = await new BooksServer().open();
afterAll(() => providerBook.close());

async function open() {
  const shop = await scene(world, {
    scopes: ['attribution:write', 'analytics:read', 'campaigns:read', 'customers:read'],
    reportingCurrency: 'USD',
    timeZone: 'America/Santiago',
  });
  const queue = reconciliations({
    app: kit.app,
    clickhouse,
    ...providerBook.services('payments_a', 'social_ads'),
    now: () => kit.clock.now(),
  });
  const { signal } = new AbortController();
  const work = async () => {
    const { items } = await queue.load(shop.profileId, 10, signal);
    await queue.work({ key: shop.profileId, items, signal } as Parameters<typeof queue.work>[0]);
  };
  const read = async (id: string, more = '') => (await shop.ask(`/api/v1/reconciliations/${id}${more}`)).body;
  return {
    ...shop,
    work,
    read,
    rows: async <Row>(query: ReturnType<typeof sql>) =>
      (await shop.ledger.transaction((tx) => query.execute(tx))).rows as Row[],
    /** Requests a comparison of March and returns its result. */
    async reconcile(...books: readonly string[]) {
      const response = await shop.call('POST', '/api/v1/reconciliations', {
        ...range,
        ...(books.length > 0 && { books }),
      });
      expect(response.statusCode).toBe(202);
      expect(response.json().data).toMatchObject({ state: 'queued', is_nightly: false, ...range });
      expect(response.json().data.books).toEqual(books.length > 0 ? books : reconciledBookNames);
      await work();
      return (await read(response.json().data.id)).data;
    },
    repair: async (id: string, query = '') =>
      (await shop.call('POST', `/api/v1/reconciliations/${id}/repair${query}`, { kinds: differenceKindNames })).json()
        .data,
    differences: async (id: string) => (await read(id, '/differences')).data,
    corrupt: (statement: string) => mutate(clickhouse, `ALTER TABLE {{local attributed_conversions}} ${statement}`),
  };
}

test('compares days, lists and repairs differences without writing amounts, and reports work in progress as pending', async () => {
  const shop = await open();
  const visitorId = uuid();
  const ids: string[] = [];
  for (const number of [3, 4, 5, 6, 7, 8])
    ids.push(
      (await shop.send({ occurred_at: day(number), properties: { value: `${number}.50`, currency: 'USD' } })).outcomeId,
    );
  await shop.touch(
    { visitor_id: visitorId, occurred_at: day(1) },
    { visitor_id: visitorId, occurred_at: day(2), source: 'google' },
  );
  await shop.link(visitorId, 'eva-1');
  // Nothing is attributed yet: this is pending, not a fault.
  expect(await shop.reconcile('columns')).toMatchObject({ state: 'done', differences: 0, pending: 6 });
  await shop.attribute();
  const clean = await shop.reconcile('columns');
  expect(clean).toMatchObject({ differences: 0, pending: 0, currency: 'USD' });
  expect(clean.days[0]).toEqual({
    day: '2026-03-03',
    differences: 0,
    pending: 0,
    books: [
      {
        book: 'columns',
        channel: null,
        currency: 'USD',
        at_provider: null,
        in_ledger: { count: 1, value: '3.50' },
        in_columns: { count: 1, value: '3.50' },
        in_reports: null,
        differences: 0,
        pending: 0,
      },
    ],
    sources: [],
  });

  // A changed amount without a mark, a row missing in ClickHouse, one missing in the ledger, and credits that do not add up.
  const [changed, lost, gone, off] = ids as [string, string, string, string];
  await shop.rows(sql`UPDATE outcomes SET reporting_amount = reporting_amount + 0.01 WHERE id = ${changed}`);
  await shop.corrupt(`DELETE WHERE conversion_id = '${lost}'`);
  await shop.rows(sql`DELETE FROM outcomes WHERE id = ${gone}`);
  await shop.corrupt(`UPDATE linear = arrayMap(x -> x + 1, linear), content_hash = 1 WHERE conversion_id = '${off}'`);
  const found = await shop.reconcile();
  // Reports do not add up either where credits do not, at each level under that model.
  expect(found).toMatchObject({ state: 'done', differences: 4 + 3, pending: 0 });
  const { data, pagination } = await shop.read(found.id, '/differences?limit=3');
  const rest = await shop.read(found.id, `/differences?cursor=${pagination.cursor}`);
  const named = (
    number: number,
    kind: string,
    id: string,
    date: string,
    inLedger: string | null,
    inColumns: string | null,
  ) => ({
    number,
    book: 'columns',
    kind,
    state: 'open',
    note: null,
    day: date,
    currency: 'USD',
    conversion_id: conversionIdOf(id),
    channel: null,
    connection_id: null,
    external_id: null,
    level: null,
    model: null,
    at_provider: null,
    in_ledger: inLedger,
    in_columns: inColumns,
    in_reports: null,
  });
  expect([...data, ...rest.data].slice(0, 4)).toEqual([
    named(1, 'amount_differs', changed, '2026-03-03', '3.51', '3.50'),
    named(2, 'missing_in_columns', lost, '2026-03-04', '4.50', null),
    named(3, 'unknown_to_ledger', gone, '2026-03-05', null, '5.50'),
    named(4, 'credits_off', off, '2026-03-06', '6.50', '6.50'),
  ]);
  expect(rest.data.slice(1)).toMatchObject(
    ['campaign', 'ad_set', 'ad'].map((level) => ({
      book: 'reports',
      kind: 'report_off',
      day: '2026-03-06',
      level,
      model: 'linear',
      in_columns: '6.50',
      in_reports: '6.52',
      conversion_id: null,
    })),
  );
  expect(await shop.rows(sql`SELECT type FROM outbox WHERE type = 'reconciliation.failed'`)).toHaveLength(1);

  const money = () => shop.rows(sql`SELECT id, amount, reporting_amount FROM outcomes ORDER BY id`);
  const before = await money();
  expect(await shop.repair(found.id, '?dry_run=true')).toEqual({
    id: found.id,
    outcome: 'dry_run',
    conversions: 4,
    connections: 0,
  });
  expect(await shop.rows(sql`SELECT FROM dirty_conversions`)).toEqual([]);
  expect(await shop.repair(found.id)).toEqual({ id: found.id, outcome: 'applied', conversions: 4, connections: 0 });
  // Once marked dirty they are pending.
  expect(await shop.reconcile('columns')).toMatchObject({ differences: 0, pending: 4 });
  await shop.attribute();
  // A row that is not in the ledger is removed only by a replay.
  const left = await shop.reconcile('columns');
  expect(left).toMatchObject({ differences: 1, pending: 0 });
  expect((await shop.read(left.id, '/differences')).data).toMatchObject([{ kind: 'unknown_to_ledger' }]);
  await shop.settle();
  expect(await shop.reconcile('columns')).toMatchObject({ differences: 0, pending: 0 });
  expect(await money()).toEqual(before);
  expect(await shop.repair(clean.id)).toMatchObject({ outcome: 'no_change', conversions: 0 });

  // Once per night. Later than all requested runs, so that the nightly run is the newest.
  const night = new Date(+kit.clock.now() + 1_000);
  expect(await reconcileNightly(kit.system, night)).toBeGreaterThan(0);
  expect(await reconcileNightly(kit.system, night)).toBe(0);
  await shop.work();
  // Weekly for all days, ending on the same day.
  expect(await reconcileWeekly(kit.system, night)).toBeGreaterThan(0);
  const runs: { id: string; date_from: string }[] = (await shop.ask('/api/v1/reconciliations?limit=50')).body.data;
  const weekly = runs.find(({ date_from }) => date_from === '2000-01-01') ?? expect.unreachable();
  expect(weekly).toMatchObject({ is_nightly: true, books: ['columns', 'reports'] });
  await shop.rows(sql`UPDATE reconciliations SET books = '{columns}' WHERE id = ${weekly.id}`);
  await shop.work();
  expect((await shop.read(weekly.id)).data).toMatchObject({ state: 'done', differences: 0, pending: 0 });
  expect((await shop.read(weekly.id)).data.days).toHaveLength(5);
  await shop.rows(sql`DELETE FROM reconciliations WHERE id = ${weekly.id}`);
  const listed = (await shop.ask('/api/v1/reconciliations?limit=2')).body;
  expect(listed).toMatchObject({ data: [{ is_nightly: true, state: 'done' }, {}], pagination: { has_next: true } });
  const next = (
    await shop.ask(`/api/v1/reconciliations?limit=2&cursor=${encodeURIComponent(listed.pagination.cursor)}`)
  ).body;
  expect(next.data[0].id).not.toBe(listed.data[1].id);
});

test('compares providers and ad accounts with our books; recent and restated figures are not faults', async () => {
  const shop = await open();
  const owner = { id: shop.profileId, workspaceId: shop.workspaceId };
  const stripe = await buildConnection(kit, owner, { channel: 'payments_a', externalId: 'acct_1' });
  const meta = await buildConnection(kit, owner, { channel: 'social_ads', externalId: 'act_1' });
  const day3 = '2026-03-03';
  // Five payments in the ledger, and one at the provider only that is a day old.
  for (const number of [3, 4, 5, 6, 7]) {
    const properties = { value: `${number}.50`, currency: 'USD' };
    const { outcomeId } = await shop.send({ occurred_at: day(number), properties });
    await shop.rows(
      sql`UPDATE outcomes SET source = 'payments_a', connection_id = ${stripe}, external_id = ${`ch_${number}`} WHERE id = ${outcomeId}`,
    );
    providerBook.payments.push({ externalId: `ch_${number}`, at: day(number), amount: `${number}.5`, currency: 'USD' });
  }
  const ads = { external_id: 'film', campaign_external_id: 'winter' };
  await shop.spend({ ...ads, date: day3, spend: '10.00' }, { ...ads, date: '2026-03-04', spend: '20.00' });
  await shop.settle();
  // Each rounded by half a cent, and a day before the first one ever read.
  providerBook.spend = [
    { day: '2026-03-01', amount: '5', currency: 'USD' },
    { day: day3, amount: '10.005', currency: 'USD' },
    { day: '2026-03-04', amount: '20', currency: 'USD' },
  ];
  const clean = await shop.reconcile();
  expect(await shop.differences(clean.id)).toEqual([]);
  expect(clean).toMatchObject({ differences: 0, pending: 0, unread: [] });
  const booksOf = (run: typeof clean, date: string) =>
    run.days.find((one: { day: string }) => one.day === date).books as { book: string }[];
  expect(booksOf(clean, day3)).toMatchObject([
    { book: 'providers', channel: 'payments_a', at_provider: { count: 1, value: '3.5' }, in_ledger: { count: 1 } },
    { book: 'columns', in_ledger: { count: 1, value: '3.50' }, in_columns: { count: 1, value: '3.50' } },
    { book: 'ad_accounts', channel: 'social_ads', at_provider: { count: null }, in_columns: { count: null } },
  ]);

  // Never synced, a different amount, and unknown to the provider; one payment is on another day.
  const payments = providerBook.payments;
  providerBook.payments = payments
    .filter(({ externalId }) => externalId !== 'ch_5')
    .map((one) => (one.externalId === 'ch_4' ? { ...one, amount: '4.51' } : one))
    .map((one) => (one.externalId === 'ch_6' ? { ...one, at: day(9) } : one));
  providerBook.payments.push({ externalId: 'ch_8', at: day(8), amount: '8.50', currency: 'USD' });
  providerBook.spend = providerBook.spend.map((one) => (one.day === day3 ? { ...one, amount: '12.00' } : one));
  const first = await shop.reconcile('providers', 'ad_accounts');
  // The ad account may be restating: it must report the figure for a day.
  expect(first).toMatchObject({ differences: 3, pending: 1 });
  const about = { book: 'providers', channel: 'payments_a', state: 'open', currency: 'USD' };
  expect(await shop.differences(first.id)).toMatchObject([
    { ...about, kind: 'paid_differs', external_id: 'ch_4', at_provider: '4.51', in_ledger: '4.5' },
    { ...about, kind: 'missing_at_provider', external_id: 'ch_5', at_provider: null, in_ledger: '5.5' },
    { ...about, kind: 'missing_in_ledger', external_id: 'ch_8', at_provider: '8.50', conversion_id: null },
  ]);
  kit.clock.advance(dayMs - 60_000);
  expect(await shop.reconcile('ad_accounts')).toMatchObject({ differences: 0, pending: 1 });
  kit.clock.advance(60_000);
  const second = await shop.reconcile('providers', 'ad_accounts');
  expect(second).toMatchObject({ differences: 4, pending: 0 });
  const [spend] = (await shop.differences(second.id)).slice(3);
  expect(spend).toMatchObject({ kind: 'spend_differs', day: day3, at_provider: '12', connection_id: meta });
  expect(Number(spend.in_columns)).toBe(10);

  // Both accounts are synced again from the first page; a payment unknown to the provider is left as it is.
  const syncs = () =>
    shop.rows<{ connection_id: string }>(sql`SELECT connection_id, run::int FROM syncs ORDER BY channel`);
  for (const [id, channel] of [
    [stripe, 'payments_a'],
    [meta, 'social_ads'],
  ])
    await shop.rows(
      sql`INSERT INTO syncs (profile_id, connection_id, channel, due_at, position) VALUES (${shop.profileId}, ${id}, ${channel}, 'infinity', '{}')`,
    );
  expect(await shop.repair(second.id, '?dry_run=true')).toMatchObject({
    outcome: 'dry_run',
    conversions: 0,
    connections: 2,
  });
  expect(await syncs()).toMatchObject([{ run: 0 }, { run: 0 }]);
  expect(await shop.repair(second.id)).toMatchObject({ outcome: 'applied', conversions: 0, connections: 2 });
  expect(await syncs()).toMatchObject([{ run: 1 }, { run: 1 }]);

  // Explained differences do not count while their figures stay the same.
  const explain = (number: number, note = 'A test charge') =>
    shop.call('POST', `/api/v1/reconciliations/${second.id}/differences/${number}/explain`, { note });
  const [lost] = (await shop.differences(second.id)).filter(
    (one: { kind: string }) => one.kind === 'missing_at_provider',
  );
  expect((await explain(lost.number)).json().data).toMatchObject({ state: 'explained', note: 'A test charge' });
  expect((await explain(lost.number)).statusCode).toBe(200);
  expect((await explain(99)).statusCode).toBe(404);
  expect((await shop.read(second.id)).data).toMatchObject({ differences: 3 });
  const third = await shop.reconcile('providers');
  expect(third).toMatchObject({ differences: 2 });
  expect(await shop.differences(third.id)).toMatchObject([{}, { state: 'explained' }, {}]);

  // An unreachable provider is listed without its days; a payment of yesterday is not a fault.
  providerBook.failures = Number.POSITIVE_INFINITY;
  const away = await shop.call('POST', '/api/v1/reconciliations', { ...range, books: ['ad_accounts'] });
  await shop.work();
  const unread = (await shop.read(away.json().data.id)).data;
  expect(unread).toMatchObject({ differences: 0, books: ['ad_accounts'], days: [] });
  expect(unread.unread).toEqual([{ connection_id: meta, channel: 'social_ads', reason: 'away' }]);
  providerBook.failures = 0;
  providerBook.payments = [];
  const yesterday = new Date(kit.clock.now().getTime() - dayMs);
  providerBook.payments.push({ externalId: 'ch_9', at: yesterday.toISOString(), amount: '9', currency: 'USD' });
  // The newest run is first in the list.
  kit.clock.advance(1_000);
  expect(await reconcileNightly(kit.system, kit.clock.now())).toBeGreaterThan(0);
  await shop.work();
  const [night] = (await shop.ask('/api/v1/reconciliations?limit=1')).body.data;
  expect(night).toMatchObject({ is_nightly: true, differences: 0, pending: 1 });
  // A recent payment does not hide the open difference of the same book, day, channel and currency.
  const old = new Date(kit.clock.now().getTime() - limits.reconciliation.graceHours * hourMs - 60_000);
  const young = new Date(kit.clock.now().getTime() - limits.reconciliation.graceHours * hourMs + 60_000);
  providerBook.payments = [
    { externalId: 'ch_old', at: old.toISOString(), amount: '1', currency: 'USD' },
    { externalId: 'ch_young', at: young.toISOString(), amount: '2', currency: 'USD' },
  ];
  const run = {
    date_from: old.toISOString().slice(0, 10),
    date_to: young.toISOString().slice(0, 10),
    books: ['providers'],
  };
  const response = await shop.call('POST', '/api/v1/reconciliations', run);
  await shop.work();
  const mixed = (await shop.read(response.json().data.id)).data;
  expect(mixed).toMatchObject({ differences: 1, pending: 1 });
  const ofDay = mixed.days.flatMap((one: { books: { differences: number; pending: number }[] }) => one.books);
  expect(ofDay.filter((one: { pending: number }) => one.pending > 0)).toMatchObject([{ differences: 1, pending: 1 }]);
  // The metric covers the latest nightly runs.
  await shop.rows(sql`UPDATE reconciliation_differences SET state = 'open' WHERE reconciliation_id = ${night.id}`);
  const counted = await countDifferences(kit.system, new Date(kit.clock.now().getTime() - 2 * dayMs));
  expect(counted.get('missing_in_ledger')).toBe(1);
});

test('returns 409 when the queue of on-demand reconciliations is full; nightly ones and other profiles do not count', async () => {
  const [shop, other] = [await open(), await open()];
  const { mostQueued } = limits.reconciliation;
  const request = async (by = shop) => {
    const response = await by.call('POST', '/api/v1/reconciliations', range);
    return [response.statusCode, response.json().error?.reason];
  };
  await shop.rows(sql`
    INSERT INTO reconciliations (profile_id, id, state, is_nightly, date_from, date_to, books, requested_at)
    SELECT ${shop.profileId}, gen_random_uuid(), 'queued', true, date '2026-01-01' + day, date '2026-01-01' + day, ARRAY['credits'], now()
    FROM generate_series(1, ${mostQueued}) AS day`);
  for (let index = 0; index < mostQueued; index += 1) expect(await request()).toEqual([202, undefined]);
  expect(await request()).toEqual([409, 'too_many_queued']);
  expect(await request(other)).toEqual([202, undefined]);
  await shop.rows(sql`UPDATE reconciliations SET state = 'failed'`);
  expect(await request()).toEqual([202, undefined]);
});
