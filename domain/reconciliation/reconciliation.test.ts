import { raw } from '@tributary/clickhouse';
import { conversionIdOf } from '@tributary/rules';
import { openTestWithClickHouse, scene } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { reconcileNightly } from './reconcile-nightly.job.ts';
import { reconciliations } from './reconciliations.queue.ts';

const world = await openTestWithClickHouse();
const { kit, clickhouse } = world;
const day = (number: number) => new Date(Date.UTC(2026, 2, number, 15)).toISOString();
const range = { date_from: '2026-03-01', date_to: '2026-03-31' };
const kinds = ['missing_in_columns', 'unknown_to_ledger', 'amount_differs', 'credits_off'];

async function open() {
  const shop = await scene(world, {
    scopes: ['attribution:write', 'analytics:read', 'campaigns:read', 'customers:read'],
    reportingCurrency: 'USD',
    timeZone: 'America/Santiago',
  });
  const queue = reconciliations({ app: kit.app, clickhouse }, () => kit.clock.now());
  const { signal } = new AbortController();
  const work = async () => {
    const { items } = await queue.take(shop.profileId, 10, signal);
    await queue.work({ key: shop.profileId, items, signal } as Parameters<typeof queue.work>[0]);
  };
  const read = async (id: string, more = '') => (await shop.ask(`/api/v1/reconciliations/${id}${more}`)).body;
  return {
    ...shop,
    work,
    read,
    rows: async <Row>(query: ReturnType<typeof sql>) =>
      (await shop.ledger.transaction((tx) => query.execute(tx))).rows as Row[],
    /** Has March compared; resolves to what the run says. */
    async reconcile() {
      const asked = await shop.call('POST', '/api/v1/reconciliations', range);
      expect(asked.statusCode).toBe(202);
      expect(asked.json().data).toMatchObject({ state: 'queued', is_nightly: false, ...range });
      await work();
      return (await read(asked.json().data.id)).data;
    },
    repair: async (id: string, query = '') =>
      (await shop.call('POST', `/api/v1/reconciliations/${id}/repair${query}`, { kinds })).json().data,
    corrupt: (statement: string) =>
      clickhouse.command(raw(`ALTER TABLE attributed_conversions ${statement} SETTINGS mutations_sync = 2`), {}),
  };
}

test('days are compared, what differs is named and repaired without touching money, and what is on its way is no fault', async () => {
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
  // Nothing is worked out yet: it waits, and that is no fault.
  expect(await shop.reconcile()).toMatchObject({ state: 'done', differences: 0, pending: 6 });
  await shop.attribute();
  const clean = await shop.reconcile();
  expect(clean).toMatchObject({ differences: 0, pending: 0, currency: 'USD' });
  expect(clean.days[0]).toEqual({
    day: '2026-03-03',
    ledger: { conversions: 1, value: '3.50' },
    columns: { conversions: 1, value: '3.50' },
    differences: 0,
    pending: 0,
  });

  // A cent that nobody marked, a row that the columns lost, one that the ledger lost, and credit that does not add up.
  const [changed, lost, gone, off] = ids as [string, string, string, string];
  await shop.rows(sql`UPDATE outcomes SET reporting_amount = reporting_amount + 0.01 WHERE id = ${changed}`);
  await shop.corrupt(`DELETE WHERE conversion_id = '${lost}'`);
  await shop.rows(sql`DELETE FROM outcomes WHERE id = ${gone}`);
  await shop.corrupt(`UPDATE linear = arrayMap(x -> x + 1, linear), content_hash = 1 WHERE conversion_id = '${off}'`);
  const found = await shop.reconcile();
  expect(found).toMatchObject({ state: 'done', differences: 4, pending: 0 });
  const { data, pagination } = await shop.read(found.id, '/differences?limit=3');
  const rest = await shop.read(found.id, `/differences?cursor=${pagination.cursor}`);
  expect([...data, ...rest.data]).toEqual([
    {
      number: 1,
      kind: 'amount_differs',
      conversion_id: conversionIdOf(changed),
      day: '2026-03-03',
      in_ledger: '3.51',
      in_columns: '3.50',
    },
    {
      number: 2,
      kind: 'missing_in_columns',
      conversion_id: conversionIdOf(lost),
      day: '2026-03-04',
      in_ledger: '4.50',
      in_columns: null,
    },
    {
      number: 3,
      kind: 'unknown_to_ledger',
      conversion_id: conversionIdOf(gone),
      day: '2026-03-05',
      in_ledger: null,
      in_columns: '5.50',
    },
    {
      number: 4,
      kind: 'credits_off',
      conversion_id: conversionIdOf(off),
      day: '2026-03-06',
      in_ledger: '6.50',
      in_columns: '6.50',
    },
  ]);
  expect(await shop.rows(sql`SELECT type FROM outbox WHERE type = 'reconciliation.failed'`)).toHaveLength(1);

  const money = () => shop.rows(sql`SELECT id, amount, reporting_amount FROM outcomes ORDER BY id`);
  const before = await money();
  expect(await shop.repair(found.id, '?dry_run=true')).toEqual({ id: found.id, outcome: 'dry_run', conversions: 4 });
  expect(await shop.rows(sql`SELECT FROM dirty_conversions`)).toEqual([]);
  expect(await shop.repair(found.id)).toEqual({ id: found.id, outcome: 'applied', conversions: 4 });
  // Marked, they are on their way.
  expect(await shop.reconcile()).toMatchObject({ differences: 0, pending: 4 });
  await shop.attribute();
  // What is nowhere in the ledger only a replay finds and removes.
  const left = await shop.reconcile();
  expect(left).toMatchObject({ differences: 1, pending: 0 });
  expect((await shop.read(left.id, '/differences')).data).toMatchObject([{ kind: 'unknown_to_ledger' }]);
  await shop.settle();
  expect(await shop.reconcile()).toMatchObject({ differences: 0, pending: 0 });
  expect(await money()).toEqual(before);
  expect(await shop.repair(clean.id)).toMatchObject({ outcome: 'no_change', conversions: 0 });

  // Every night, once.
  expect(await reconcileNightly(kit.system, kit.clock.now())).toBeGreaterThan(0);
  expect(await reconcileNightly(kit.system, kit.clock.now())).toBe(0);
  await shop.work();
  const listed = (await shop.ask('/api/v1/reconciliations?limit=2')).body;
  expect(listed).toMatchObject({ data: [{ is_nightly: true, state: 'done' }, {}], pagination: { has_next: true } });
  const next = (
    await shop.ask(`/api/v1/reconciliations?limit=2&cursor=${encodeURIComponent(listed.pagination.cursor)}`)
  ).body;
  expect(next.data[0].id).not.toBe(listed.data[1].id);
});
