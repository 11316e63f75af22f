import { setTimeout as sleep } from 'node:timers/promises';
import { createClickHouse, migrate } from '@tributary/clickhouse';
import { recordAds } from '@tributary/domain/advertising/campaigns';
import { copyDelivery } from '@tributary/domain/advertising/campaigns/module.ts';
import { replay } from '@tributary/domain/measurement/attribution/module.ts';
import { reconciliations } from '@tributary/domain/measurement/reconciliation/module.ts';
import { createPostgres } from '@tributary/postgres';
import { daysOf } from '@tributary/rules';
import {
  BooksServer,
  buildConnection,
  buildProfile,
  type Drill,
  mutate,
  openDrillKit,
  settleAll,
} from '@tributary/testkit';
import { dayMs, entityLevels, reconciledBookNames } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { fillLargeProfile } from '../parity/large-profile.ts';

const sizes = {
  small: {
    people: 3_000,
    faults: 10,
    runs: 2,
    writesPerSecond: 20,
    minWrites: 1,
    maxSeconds: 90,
    lastDay: '2026-01-28',
  },
  full: {
    people: 1_000_000,
    faults: 1_000,
    runs: 100,
    writesPerSecond: 200,
    minWrites: 180,
    maxSeconds: 15,
    lastDay: '2026-04-10',
  },
} as const;
const firstDay = '2026-01-14';
const writers = 4;

/**
 * Reconciles a large profile repeatedly while payments are changed and attributed: no run may report a fault. Then it plants faults of every
 * kind directly in the stores, at the provider and at the ad account. Each of them must be reported, and nothing else.
 */
export const drill: Drill = {
  name: 'reconcile',
  promise:
    'Every difference between providers, the ledger, ClickHouse, reports and ad accounts is reported row by row, and work in progress is not reported as a fault.',

  async run({ size, progress }) {
    const { people, faults, runs, writesPerSecond, minWrites, maxSeconds, lastDay } = sizes[size];
    const kit = await openDrillKit('drill-reconcile', ['postgres', 'clickhouse']);
    const settings = { ...kit.clickhouse, database: 'reconcile', requestTimeoutMs: 600_000 };
    await migrate(settings);
    const clickhouse = createClickHouse(settings);
    const app = createPostgres({ url: kit.database.appUrl, poolSize: 6 });
    const books = await new BooksServer().open();
    const { signal } = new AbortController();
    let isWriting = true;
    try {
      const owner = await buildProfile(app);
      const { id: profileId } = owner;
      const ledger = app.forProfile(profileId);
      const rows = async <Row>(query: ReturnType<typeof sql>) =>
        (await ledger.transaction((tx) => query.execute(tx))).rows as Row[];
      await fillLargeProfile(app, clickhouse, { profileId, people, touchesPerPerson: 3 }, progress);
      // Backdates the definitions: for an hour after a definition changes, its effects are not reported as faults.
      await rows(sql`UPDATE definitions SET updated_at = created_at`);
      await fillProvider();
      await fillAds();
      await replay({ app, clickhouse }, { profileId, cause: 'drill', now: () => new Date(), signal });

      let now = new Date();
      const queue = reconciliations({
        app,
        clickhouse,
        ...books.services('payments_a', 'social_ads'),
        now: () => now,
      });
      const times: number[] = [];
      const compare = async () => {
        const id = uuid();
        await rows(sql`
          INSERT INTO reconciliations (profile_id, id, state, is_nightly, date_from, date_to, books, requested_at)
          VALUES (${profileId}, ${id}, 'queued', false, ${firstDay}, ${lastDay}, ${[...reconciledBookNames]}::text[], ${now})`);
        const before = performance.now();
        const batch = await queue.load(profileId, 1, signal);
        await queue.work({ key: profileId, ...batch, signal, renewLease: async () => {} });
        times.push((performance.now() - before) / 1_000);
        const [run] = await rows<{ differences: number; pending: number; unread: unknown[] }>(
          sql`SELECT differences, pending, unread FROM reconciliations WHERE id = ${id}`,
        );
        if (!run || run.unread.length > 0) throw new Error(`The run was not whole: ${JSON.stringify(run)}`);
        return { id, ...run };
      };

      let writes = 0;
      let written = 0;
      /** Several writers run at once, because one writer would write too few changes on a busy machine. */
      const write = async () => {
        for (let next = performance.now(); isWriting; ) {
          written += 1;
          await rows(sql`
              WITH changed AS (
                UPDATE outcomes SET reporting_amount = reporting_amount + 1, updated_at = now()
                WHERE idempotency_key = ${String(written % people)} RETURNING profile_id, id)
              INSERT INTO dirty_conversions AS d (profile_id, outcome_id, causes) SELECT profile_id, id, '{amount_changed}' FROM changed
              ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision')`);
          writes += 1;
          next += (1_000 * writers) / writesPerSecond;
          await sleep(Math.max(0, next - performance.now()));
        }
      };
      const attribute = async () => {
        while (isWriting) {
          await settleAll({ app, system: kit.system, clickhouse });
          await sleep(200);
        }
      };
      const backgroundFrom = performance.now();
      const background = Promise.all([...Array.from({ length: writers }, write), attribute()]);
      // Prevents an unhandled rejection of interrupted writers, which would hide the error that ended the drill.
      background.catch(() => {});
      let falseAlarms = 0;
      let pending = 0;
      for (let run = 0; run < runs; run += 1) {
        const found = await compare();
        falseAlarms += found.differences;
        pending += found.pending;
        progress(run + 1, runs, `background writers, ${times.at(-1)?.toFixed(1)} s`);
      }
      isWriting = false;
      await background;
      const writesInSecond = Math.round((1_000 * writes) / (performance.now() - backgroundFrom));
      await settleAll({ app, system: kit.system, clickhouse });

      const planted = await plant();
      // A difference to an ad account is a fault of the sync only if the account reports the same figure for a day.
      const early = await compare();
      now = new Date(now.getTime() + dayMs);
      const found = await compare();
      const named = new Map(
        (
          await rows<{ subject: string; kind: string }>(sql`
            SELECT kind, coalesce(external_id, subject_id::text, concat_ws(' ', day, level, model)) AS subject
            FROM reconciliation_differences WHERE reconciliation_id = ${found.id} AND state = 'open'`)
        ).map(({ subject, kind }) => [subject, kind]),
      );
      const correct = [...planted].filter(([subject, kind]) => named.get(subject) === kind).length;
      const byKind = Object.fromEntries(
        [...Map.groupBy(planted, ([, kind]) => kind)].map(([kind, all]) => [kind, all.length]),
      );
      const slowest = Math.max(...times);
      return {
        passed:
          falseAlarms === 0 &&
          early.pending === byKind.spend_differs &&
          correct === planted.size &&
          named.size === planted.size &&
          found.differences === planted.size &&
          writesInSecond >= minWrites &&
          slowest <= maxSeconds,
        conversions: people,
        runs,
        writes,
        writes_per_second: writesInSecond,
        pending_seen: pending,
        false_alarms: falseAlarms,
        faults_planted: planted.size,
        planted: byKind,
        named_right: correct,
        named: named.size,
        slowest_run_seconds: Math.round(slowest * 100) / 100,
      };

      /** Turns some payments into a provider's payments, which are also in its book. */
      async function fillProvider(): Promise<void> {
        const connection = await buildConnection({ app }, owner, { channel: 'payments_a' });
        books.payments = await rows(sql`
          UPDATE outcomes SET source = 'payments_a', connection_id = ${connection}, external_id = 'ch_' || idempotency_key
          WHERE id IN (SELECT id FROM outcomes WHERE occurred_at < ${lastDay}::date ORDER BY id DESC LIMIT ${6 * faults})
          RETURNING external_id AS "externalId", to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, amount::text, currency`);
      }

      async function fillAds(): Promise<void> {
        await buildConnection({ app }, owner, { channel: 'social_ads' });
        const days = daysOf(firstDay, lastDay);
        const deliveryRecords = days.flatMap((day) =>
          ['a', 'b', 'c'].map((externalId) => ({
            kind: 'delivery' as const,
            level: 'ad' as const,
            externalId,
            campaignId: 'all',
            day,
            currency: 'USD',
            spend: '10.10',
            impressions: 1,
            clicks: 1,
          })),
        );
        await ledger.transaction((tx) => recordAds(tx, profileId, 'social_ads', deliveryRecords, new Date()));
        await copyDelivery({ app, clickhouse }, profileId, 10_000);
        books.spend = days.map((day) => ({ day, amount: '30.30', currency: 'USD' }));
      }

      /** Plants faults directly in the stores, without marking anything for recomputation. Resolves to the kind of each fault by its subject. */
      async function plant(): Promise<Map<string, string>> {
        const some = await rows<{ id: string; day: string }>(
          sql`SELECT o.id, (o.occurred_at AT TIME ZONE p.time_zone)::date::text AS day FROM outcomes o JOIN profiles p ON p.id = o.profile_id WHERE o.occurred_at < ${lastDay}::date ORDER BY o.id LIMIT ${5 * faults}`,
        );
        const of = (nth: number) => some.slice(nth * faults, (nth + 1) * faults);
        const [amount, missing, unknown, off, unnamed] = [of(0), of(1), of(2), of(3), of(4)];
        const ids = (from: readonly { id: string }[]) => from.map(({ id }) => id);
        const change = (clause: string, from: readonly { id: string }[]) => {
          const listed = ids(from).map((id) => `'${id}'`);
          return mutate(
            clickhouse,
            `ALTER TABLE {{local attributed_conversions}} ${clause} WHERE conversion_id IN (${listed})`,
          );
        };
        await rows(
          sql`UPDATE outcomes SET reporting_amount = reporting_amount + 0.01 WHERE id = ANY (${ids(amount)}::uuid[])`,
        );
        await rows(sql`DELETE FROM outcomes WHERE id = ANY (${ids(unknown)}::uuid[])`);
        await change('DELETE', missing);
        const shares =
          'source_ids = [toUInt64(2)], linear = [value + 1], time_decay = [value], position_based = [value]';
        await change(`UPDATE touch_ids = [conversion_id], ${shares}`, off);
        // Credit without a known touch shows only in the reports of its day.
        await change(`UPDATE touch_ids = [], ${shares}`, unnamed);
        const days = new Set([...off, ...unnamed].map(({ day }) => day));

        const [unread, changed, unreported] = [0, 1, 2].map((nth) =>
          books.payments.slice(nth * faults, (nth + 1) * faults).map(({ externalId }) => externalId),
        ) as [string[], string[], string[]];
        // Payments that were never read from the provider: the ledger has no external id for them.
        await rows(
          sql`UPDATE outcomes SET source = 'api', connection_id = NULL, external_id = NULL WHERE external_id = ANY (${unread}::text[])`,
        );
        books.payments = books.payments
          .filter(({ externalId }) => !unreported.includes(externalId))
          .map((one) => (changed.includes(one.externalId) ? { ...one, amount: `${Number(one.amount) + 1}` } : one));
        const cost = books.spend.slice(0, faults).map(({ day }) => day);
        books.spend = books.spend.map((one) => (cost.includes(one.day) ? { ...one, amount: '31.30' } : one));
        return new Map([
          ...ids(amount).map((id) => [id, 'amount_differs'] as const),
          ...ids(missing).map((id) => [id, 'missing_in_columns'] as const),
          ...ids(unknown).map((id) => [id, 'unknown_to_ledger'] as const),
          ...ids(off).map((id) => [id, 'credits_off'] as const),
          ...[...days].flatMap((day) => entityLevels.map((level) => [`${day} ${level} linear`, 'report_off'] as const)),
          ...unread.map((id) => [id, 'missing_in_ledger'] as const),
          ...changed.map((id) => [id, 'paid_differs'] as const),
          ...unreported.map((id) => [id, 'missing_at_provider'] as const),
          ...cost.map((day) => [day, 'spend_differs'] as const),
        ]);
      }
    } finally {
      isWriting = false;
      books.close();
      await app.close();
      await clickhouse.close();
      await kit.close();
    }
  },
};
