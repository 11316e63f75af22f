import { BooksServer, buildConnection, openTestWithClickHouse, providePayments, scene } from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { reconciliations } from './reconciliations.queue.ts';

const world = await openTestWithClickHouse();
const { kit, clickhouse } = world;
const providerBook = await new BooksServer().open();
afterAll(() => providerBook.close());

const at = (number: number) => new Date(Date.UTC(2026, 2, 3, 9, number));
const queue = reconciliations({
  app: kit.app,
  clickhouse,
  ...providerBook.services('payments_a'),
  now: () => kit.clock.now(),
});

async function open() {
  const shop = await scene(world, { scopes: ['attribution:write', 'analytics:read'], reportingCurrency: 'USD' });
  const { profileId, workspaceId } = shop;
  const stripe = await buildConnection(kit, { id: profileId, workspaceId }, { channel: 'payments_a' });
  return {
    ...shop,
    stripe,
    async reconcile() {
      const days = { date_from: '2026-03-01', date_to: '2026-03-05' };
      const { id } = await shop.post('/api/v1/reconciliations', days);
      const { signal } = new AbortController();
      const { items } = await queue.load(profileId, 10, signal);
      await queue.work({ key: profileId, items, signal } as Parameters<typeof queue.work>[0]);
      return (await shop.ask(`/api/v1/reconciliations/${id}`)).body.data;
    },
  };
}

test.each([
  ['provider', { server: 0, provider: 22 }],
  ['server', { server: 20, provider: 2 }],
] as const)('books agree and sources add up when the record of the %s counts', async (preferred, counted) => {
  const shop = await open();
  if (preferred === 'server')
    await shop.ledger.transaction((tx) =>
      sql`INSERT INTO sale_settings (profile_id, preference, window_minutes) VALUES (${shop.profileId}, '{server,payments}', 10)`.execute(
        tx,
      ),
    );
  const charges = Array.from({ length: 22 }, (_, n) => ({
    id: `ch_${n}`,
    customer: `person-${n}`,
    value: '10.00',
    at: at(n),
  }));
  providerBook.payments = charges.map((one) => ({
    externalId: one.id,
    at: one.at.toISOString(),
    amount: '10',
    currency: 'USD',
  }));
  for (const one of charges.slice(0, 20))
    await shop.send({
      occurred_at: new Date(one.at.getTime() + 60_000).toISOString(),
      properties: { value: one.value, currency: 'USD' },
      user_traits: { email: `${one.customer}@example.test` },
    });
  // With one source every record counts, so no sources are returned.
  await shop.attribute();
  await providePayments(kit, shop.profileId, { source: 'payments_a', connectionId: shop.stripe }, charges);
  const waiting = await shop.reconcile();
  const sums = (count: number) => ({ count, value: `${count * 10}.00` });
  expect(waiting.days[0].sources.at(-1)).toMatchObject({ records: sums(22), pending: sums(22), counted: sums(0) });
  await shop.attribute();

  const run = await shop.reconcile();
  expect(run).toMatchObject({ state: 'done', differences: 0, pending: 0, unread: [] });
  expect(run.days).toHaveLength(1);
  expect(run.days[0].books).toMatchObject([
    { book: 'providers', at_provider: { count: 22 }, in_ledger: { count: 22 }, differences: 0 },
    { book: 'columns', in_ledger: sums(22), in_columns: sums(22), differences: 0 },
  ]);
  const about = { currency: 'USD', excluded: sums(0), pending: sums(0) };
  const { server, provider } = counted;
  expect(run.days[0].sources).toEqual([
    {
      ...{ ...about, source: 'api', connection_id: null },
      ...{ records: sums(20), duplicates: sums(20 - server), counted: sums(server) },
    },
    {
      ...{ ...about, source: 'payments_a', connection_id: shop.stripe },
      ...{ records: sums(22), duplicates: sums(22 - provider), counted: sums(provider) },
    },
  ]);

  // A charge that was never synced is still found.
  providerBook.payments.push({ externalId: 'ch_lost', at: at(30).toISOString(), amount: '7', currency: 'USD' });
  expect(await shop.reconcile()).toMatchObject({ differences: 1 });
});
