import { listFirstSyncs } from '@tributary/domain/advertising/connections/module.ts';
import { reopenExports } from '@tributary/domain/advertising/exports/module.ts';
import { openOutcomeImporter } from '@tributary/domain/commerce/outcomes/module.ts';
import { sales } from '@tributary/domain/commerce/sales/module.ts';
import { createPostgres } from '@tributary/postgres';
import { buildConnection, scene, type TestApi, type Testkit, testOutcomeServices } from '@tributary/testkit';
import { queues } from '@tributary/work';
import { sql } from 'kysely';

const rowsPerInsert = 20_000;

/** Measures matching after a provider's first sync: as many payments as the shop's server had reported, and nine in ten are the same. */
export async function measureFirstSync(
  kit: Testkit,
  api: TestApi,
  payments: number,
  progress: (done: number, what: string) => void,
) {
  const shop = await scene({ kit, api }, { scopes: ['attribution:write'] });
  await shop.send();
  const connection = await buildConnection(
    kit,
    { id: shop.profileId, workspaceId: shop.workspaceId },
    { channel: 'payments_a' },
  );
  const insert = (from: number, isProvider: boolean) =>
    shop.ledger.transaction((tx) =>
      sql`
        INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id, occurred_at,
          recorded_at, updated_at, amount, currency, rest, source, connection_id, external_id, uncounted)
        SELECT ${shop.profileId}::uuid, gen_random_uuid(), key, 'payment_received', 'payment_received', 'payment_received', 'payment_received',
          md5((n / 4)::text)::uuid, '2026-03-01'::timestamptz + make_interval(secs => n * 35 + CASE WHEN ${isProvider} THEN 40 ELSE 0 END),
          now(), now(), 10 + n % 5000, 'USD',
          CASE WHEN ${isProvider} OR n % 2 = 0 THEN '{"properties": {}}'::jsonb
            ELSE jsonb_build_object('properties', jsonb_build_object('payment_id', 'ch_bulk_' || n)) END,
          CASE WHEN ${isProvider} THEN 'payments_a' ELSE 'api' END, CASE WHEN ${isProvider} THEN ${connection}::uuid END,
          CASE WHEN ${isProvider} THEN 'ch_bulk_' || n END, CASE WHEN ${isProvider} THEN 'pending' END
        FROM (
          SELECT i + CASE WHEN ${isProvider} THEN ${Math.floor(payments / 10)}::int ELSE 0 END AS n,
            CASE WHEN ${isProvider} THEN 'payments_a:ch_bulk_' || i ELSE 'server-bulk-' || i END AS key
          FROM generate_series(${from}::int, ${Math.min(from + rowsPerInsert, payments) - 1}::int) AS i) numbered`.execute(
        tx,
      ),
    );
  for (const isProvider of [false, true])
    for (let from = 0; from < payments; from += rowsPerInsert) {
      await insert(from, isProvider);
      progress(isProvider ? from + payments : from, 'inserting payments');
    }
  await shop.ledger.transaction((tx) =>
    sql`INSERT INTO sale_sources (profile_id, source, connection_id)
      VALUES (${shop.profileId}, ${`payments_a:${connection}`}, ${connection}) ON CONFLICT DO NOTHING`.execute(tx),
  );
  await kit.owner.unbound.query(sql`ANALYZE outcomes`);

  const handler = sales({ app: kit.app, listFirstSyncs, reopenExports, now: () => new Date() });
  const signal = AbortSignal.timeout(3_600_000);
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10;
  let overlapSeconds: number | null = null;
  for (let done = 0; ; ) {
    const batch = await handler.load(shop.profileId, queues.sales.batchSize, signal);
    if (batch.items.length === 0) break;
    const [next] = batch.items;
    if (next && 'isMatched' in next && next.isMatched) overlapSeconds ??= seconds();
    await handler.work({ key: shop.profileId, ...batch, signal, renewLease: async () => {} });
    done += batch.items.length;
    progress(done, overlapSeconds === null ? 'matching payments' : 'forming sales');
  }
  const { rows } = await shop.ledger.transaction((tx) =>
    sql<{ records: number; partners: number; duplicates: number; isSystematic: boolean }>`
      SELECT records, partners, is_systematic AS "isSystematic", (SELECT count(*)::int FROM outcomes WHERE uncounted = 'duplicate') AS duplicates
      FROM sale_overlaps`.execute(tx),
  );
  return {
    payments_of_each_source: payments,
    overlap_known_after_s: overlapSeconds,
    sales_formed_after_s: seconds(),
    partners: rows[0]?.partners ?? 0,
    duplicates: rows[0]?.duplicates ?? 0,
    is_systematic: rows[0]?.isSystematic ?? false,
  };
}

/** Counts scans of the sales tables per payment when a single source reports all payments, one payment in each transaction. */
export async function measureWritePath(kit: Testkit, api: TestApi, payments: number) {
  const shop = await scene({ kit, api }, { scopes: ['attribution:write'] });
  const lookUps = async () => {
    const { rows } = await kit.owner.unbound.query(
      sql<{ n: number }>`
        SELECT sum(coalesce(seq_scan, 0) + coalesce(idx_scan, 0))::int AS n FROM pg_stat_user_tables
        WHERE relname LIKE 'sale\\_%' OR relname = 'dirty_sales'`,
    );
    return rows[0]?.n ?? 0;
  };
  const record = async (count: number, value: string): Promise<number> => {
    const app = createPostgres({ url: kit.database.appUrl, poolSize: 1 });
    const importer = await openOutcomeImporter(app, shop.profileId, testOutcomeServices, () => kit.clock.now());
    for (let n = 0; n < count; n += 1) {
      const row = {
        event_name: 'payment_received',
        idempotency_key: `path-${n}`,
        value,
        currency: 'USD',
        email: `path${n}@shop.test`,
      };
      await importer?.import([{ line: n, cells: { ...row, occurred_at: '2026-05-01T00:00:00Z' } }]);
    }
    // PostgreSQL reports the statistics of a connection when it closes.
    await app.close();
    await untilStable(lookUps);
    return lookUps();
  };
  // The first payment of a source also registers the source.
  const before = await record(1, '5.00');
  const added = await record(payments + 1, '5.00');
  const changed = await record(payments + 1, '6.00');
  return {
    payments,
    look_ups_per_new_payment: (added - before) / payments,
    look_ups_per_changed_payment: (changed - added) / payments,
  };
}

/** Waits until the counters stop changing. */
async function untilStable(read: () => Promise<number>): Promise<void> {
  for (let [last, now] = [-1, await read()]; last !== now; ) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    [last, now] = [now, await read()];
  }
}
