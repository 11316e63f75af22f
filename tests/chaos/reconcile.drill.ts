import { setTimeout as pause } from 'node:timers/promises';
import { createClickHouse, migrate, raw } from '@tributary/clickhouse';
import { type Comparison, compareLedger } from '@tributary/domain/attribution';
import { replay } from '@tributary/domain/attribution/room.ts';
import { createPostgres } from '@tributary/postgres';
import { buildProfile, type Drill, openDrillKit, settleAll } from '@tributary/testkit';
import { differenceKindNames } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { fillLargeProfile } from '../parity/large-profile.ts';

const sizes = {
  small: { people: 3_000, faults: 10, runs: 2, writesPerSecond: 20, mostSeconds: 15 },
  full: { people: 1_000_000, faults: 1_000, runs: 100, writesPerSecond: 200, mostSeconds: 15 },
} as const;

/**
 * A large profile is compared again and again while payments are changed and worked out beside it: nothing may be called a fault. Then faults
 * of every kind are planted behind everybody's back, and each must be named, and nothing else.
 */
export const drill: Drill = {
  name: 'reconcile',
  promise:
    'What reports and the ledger say differently is named row by row, and what is just being worked out is no fault.',

  async run({ size, progress }) {
    const { people, faults, runs, writesPerSecond, mostSeconds } = sizes[size];
    const kit = await openDrillKit('drill-reconcile', ['postgres', 'clickhouse']);
    const settings = { url: kit.clickhouseUrl, database: 'reconcile', requestTimeoutMs: 600_000 };
    await migrate(settings);
    const clickhouse = createClickHouse(settings);
    const app = createPostgres({ url: kit.database.appUrl, poolSize: 6 });
    const { signal } = new AbortController();
    try {
      const { id: profileId } = await buildProfile(app);
      const ledger = app.forProfile(profileId);
      await fillLargeProfile(app, clickhouse, { profileId, people, touchesPerPerson: 3 }, progress);
      // As if it had been said long ago: what a definition changes is no fault for an hour.
      await ledger.transaction((tx) => sql`UPDATE definitions SET updated_at = created_at`.execute(tx));
      await replay({ app, clickhouse }, { profileId, cause: 'drill', now: () => new Date(), signal });
      const asked = { profileId, dateFrom: '2026-01-01', dateTo: '2026-04-30', most: 10 * faults };
      const times: number[] = [];
      const compare = async (): Promise<Comparison> => {
        const before = performance.now();
        const found = await compareLedger({ app, clickhouse }, { ...asked, now: new Date() }, signal);
        times.push((performance.now() - before) / 1_000);
        return found;
      };

      let isWriting = true;
      let writes = 0;
      const write = async () => {
        while (isWriting) {
          await ledger.transaction((tx) =>
            sql`
              WITH changed AS (
                UPDATE outcomes SET reporting_amount = reporting_amount + 1, updated_at = now()
                WHERE idempotency_key = ${String(writes % people)} RETURNING profile_id, id)
              INSERT INTO dirty_conversions AS d (profile_id, outcome_id, causes) SELECT profile_id, id, '{amount_changed}' FROM changed
              ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision')`.execute(tx),
          );
          writes += 1;
          await pause(1_000 / writesPerSecond);
        }
      };
      const attribute = async () => {
        while (isWriting) {
          await settleAll({ app, system: kit.system, clickhouse });
          await pause(200);
        }
      };
      const beside = Promise.all([write(), attribute()]);
      let falseAlarms = 0;
      let pending = 0;
      for (let run = 0; run < runs; run += 1) {
        const found = await compare();
        falseAlarms += found.differences.length;
        pending += found.pending;
        progress(run + 1, runs, 'beside writers');
      }
      isWriting = false;
      await beside;
      await settleAll({ app, system: kit.system, clickhouse });

      const planted = await plant();
      const found = await compare();
      const named = new Map(found.differences.map(({ id, kind }) => [id, kind]));
      const right = [...planted].filter(([id, kind]) => named.get(id) === kind).length;
      const slowest = Math.max(...times);
      return {
        passed:
          falseAlarms === 0 &&
          right === planted.size &&
          named.size === planted.size &&
          writes > 0 &&
          slowest <= mostSeconds,
        conversions: people,
        runs,
        writes,
        pending_seen: pending,
        false_alarms: falseAlarms,
        faults_planted: planted.size,
        named_right: right,
        named: named.size,
        slowest_run_seconds: Math.round(slowest * 100) / 100,
      };

      /** Behind everybody's back: nothing is marked. */
      async function plant(): Promise<Map<string, string>> {
        const { rows } = await ledger.transaction((tx) =>
          sql<{ id: string }>`SELECT id FROM outcomes ORDER BY id LIMIT ${differenceKindNames.length * faults}`.execute(
            tx,
          ),
        );
        const of = (place: number) => rows.slice(place * faults, (place + 1) * faults).map(({ id }) => id);
        const [amount, missing, unknown, off] = [of(0), of(1), of(2), of(3)];
        const listed = (ids: readonly string[]) => ids.map((id) => `'${id}'`).join();
        const change = (words: string) =>
          clickhouse.command(raw(`ALTER TABLE attributed_conversions ${words} SETTINGS mutations_sync = 2`), {});
        await ledger.transaction(async (tx) => {
          await sql`UPDATE outcomes SET reporting_amount = reporting_amount + 0.01 WHERE id = ANY (${amount}::uuid[])`.execute(
            tx,
          );
          await sql`DELETE FROM outcomes WHERE id = ANY (${unknown}::uuid[])`.execute(tx);
        });
        await change(`DELETE WHERE conversion_id IN (${listed(missing)})`);
        await change(
          `UPDATE touch_ids = [conversion_id], linear = [value + 1] WHERE conversion_id IN (${listed(off)})`,
        );
        return new Map([
          ...amount.map((id) => [id, 'amount_differs'] as const),
          ...missing.map((id) => [id, 'missing_in_columns'] as const),
          ...unknown.map((id) => [id, 'unknown_to_ledger'] as const),
          ...off.map((id) => [id, 'credits_off'] as const),
        ]);
      }
    } finally {
      await app.close();
      await clickhouse.close();
      await kit.close();
    }
  },
};
