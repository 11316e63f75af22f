import { raw, type TouchRow } from '@tributary/clickhouse';
import { markDirty } from '@tributary/domain/commerce/outcomes';
import { buildProfile, openTestWithClickHouse, processQueue } from '@tributary/testkit';
import type { CauseKind } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { describe, expect, test } from 'vitest';
import { applyResults } from './attribute-batch.ts';
import { attribution } from './attribution.queue.ts';
import { findNextOfRules, replay } from './replay.ts';

const { kit, clickhouse } = await openTestWithClickHouse();

/** The next lower id. */
const before = (id: string) => `${id.slice(0, 24)}${(BigInt(`0x${id.slice(24)}`) - 1n).toString(16).padStart(12, '0')}`;

/** 300 customers with two browsers each, three touches a browser, and a payment each. */
async function fill(named: Partial<TouchRow> = {}) {
  const { id: profileId } = await buildProfile(kit.app);
  const ledger = kit.app.forProfile(profileId);
  const definitionId = uuid();
  await ledger.transaction(async (tx) => {
    await sql`INSERT INTO definitions VALUES (${profileId}, ${definitionId}, 'payment', 'Payment', 'payment_received', true, true, 90, true, now(), now())`.execute(
      tx,
    );
    await sql`INSERT INTO definition_events VALUES (${profileId}, 'payment_received', ${definitionId})`.execute(tx);
    await sql`INSERT INTO customers (profile_id, id, sources, terms, first_seen_at, last_seen_at, created_at)
      SELECT ${profileId}, gen_random_uuid(), '{}', '{}', now(), now(), now() FROM generate_series(1, 300)`.execute(tx);
    await sql`INSERT INTO visitor_links (profile_id, visitor_id, customer_id, source, linked_at)
      SELECT ${profileId}, gen_random_uuid(), id, 'identify', now() FROM customers, generate_series(1, 2)`.execute(tx);
    await sql`INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id, occurred_at,
        recorded_at, updated_at, amount, currency, reporting_amount, reporting_currency, rate, rate_date, rest)
      SELECT ${profileId}, gen_random_uuid(), id::text, 'payment_received', 'payment_received', 'payment_received', 'payment_received', id,
        '2026-03-20T00:00:00Z', now(), now(), 99.99, 'USD', 99.99, 'USD', 1, '2026-03-20', '{}' FROM customers`.execute(
      tx,
    );
  });
  const { rows } = await ledger.transaction((tx) =>
    sql<{ visitor_id: string }>`SELECT visitor_id FROM visitor_links`.execute(tx),
  );
  const touches = rows.flatMap(({ visitor_id }) =>
    [1, 5, 9].map((day) =>
      JSON.stringify({
        profile_id: profileId,
        visitor_id,
        occurred_at: `2026-03-0${day}T00:00:00.000Z`,
        touch_id: uuid(),
        session_id: uuid(),
        channel: 'email',
        ...named,
      }),
    ),
  );
  await clickhouse.insertLines('touches', touches.join('\n'));
  const contents = () =>
    clickhouse.query(
      raw(
        `SELECT * EXCEPT (version, cause, cause_ref, applied_at) FROM attributed_conversions FINAL WHERE profile_id = '${profileId}' ORDER BY conversion_id`,
      ),
      {},
    );
  const count = async (table: string) =>
    Number(
      (
        await clickhouse.query(
          raw<{ n: string }>(`SELECT count() AS n FROM ${table} WHERE profile_id = '${profileId}'`),
          {},
        )
      )[0]?.n,
    );
  const options = { profileId, cause: 'operator', now: () => kit.clock.now(), signal: new AbortController().signal };
  return { profileId, ledger, contents, count, options };
}

describe('A replay', () => {
  test('[evnt-012] recomputes everything with any number of buckets and publishes recompute.completed', async () => {
    const { contents, options, ledger } = await fill();
    const engines = { app: kit.app, clickhouse };
    const result = await replay(engines, { ...options, buckets: 7 });
    expect(result).toMatchObject({ state: 'done', buckets: 7, conversions: 300 });
    const rows = await contents();
    expect(rows).toHaveLength(300);
    expect(rows.every(({ touch_count }) => touch_count === 6)).toBe(true);
    const { rows: events } = await ledger.transaction((tx) =>
      sql<{ type: string }>`SELECT type FROM outbox WHERE type <> 'profile.freshness.changed'`.execute(tx),
    );
    expect(events).toEqual([{ type: 'recompute.completed' }]);
  });

  test('publishes conversion.attributed once per definition', async () => {
    const { options, ledger } = await fill({ ad_id: uuid() });
    const engines = { app: kit.app, clickhouse };
    const publishedEvents = () =>
      ledger.transaction((tx) =>
        sql<{ type: string }>`SELECT type FROM outbox WHERE type = 'conversion.attributed'`.execute(tx),
      );
    await replay(engines, { ...options, buckets: 2 });
    expect((await publishedEvents()).rows).toHaveLength(1);
    await replay(engines, { ...options, buckets: 2 });
    expect((await publishedEvents()).rows).toHaveLength(1);
  });

  test('run again with another number of buckets writes nothing and adds no history', async () => {
    const { contents, count, options } = await fill();
    const engines = { app: kit.app, clickhouse };
    await replay(engines, { ...options, buckets: 1 });
    const before = await contents();
    const written = await count('attributed_conversions');
    await replay(engines, { ...options, buckets: 5 });
    expect(await contents()).toEqual(before);
    expect(await count('attributed_conversions')).toBe(written);
    expect(await count('attribution_history')).toBe(0);
  });

  test('with a lower version than the stored rows changes nothing, even when its results differ', async () => {
    const { contents, count, options, profileId } = await fill();
    await replay({ app: kit.app, clickhouse }, options);
    const stored = await contents();
    const [row] = await clickhouse.query(
      raw<{ version: string }>(
        `SELECT toString(max(version) - 1) AS version FROM attributed_conversions WHERE profile_id = '${profileId}'`,
      ),
      {},
    );
    const version = row?.version ?? '';
    await clickhouse.command(
      raw(`INSERT INTO attribution_results SELECT * REPLACE (${version} AS version, content_hash + 1 AS content_hash)
        FROM attributed_conversions WHERE profile_id = '${profileId}'`),
      {},
    );
    await applyResults(clickhouse, version, kit.clock.now());
    expect([await contents(), await count('attributed_conversions')]).toEqual([stored, 300]);
  });

  test('deletes results of conversions whose definition no longer counts', async () => {
    const { contents, count, options, ledger } = await fill();
    const engines = { app: kit.app, clickhouse };
    await replay(engines, options);
    await ledger.transaction((tx) => sql`UPDATE definitions SET is_attribution_eligible = false`.execute(tx));
    await replay(engines, options);
    expect(await contents()).toEqual([]);
    expect(await count('attribution_history')).toBe(300);
  });

  test('for new rules is queued by the release, and `rules` is the cause of every difference', async () => {
    const { options, ledger, profileId } = await fill();
    const engines = { app: kit.app, clickhouse };
    await replay(engines, options);
    await kit.owner.unbound.query(sql`SELECT rules_changed(), rules_changed()`);
    const latest = async () =>
      (
        await ledger.transaction((tx) =>
          sql<{ id: string; state: string }>`
            SELECT id, state FROM attribution_replays WHERE cause = 'rules'`.execute(tx),
        )
      ).rows;
    const [requested, ...more] = await latest();
    expect([requested?.state, more]).toEqual(['queued', []]);
    expect(await findNextOfRules(kit.owner, before(profileId))).toBe(profileId);
    // Stands in for changed rules: removes one touch of every customer without marking anything dirty.
    const drop = () =>
      ledger.transaction((tx) =>
        sql`DELETE FROM visitor_links WHERE visitor_id IN (SELECT DISTINCT ON (customer_id) visitor_id FROM visitor_links)`.execute(
          tx,
        ),
      );
    await drop();
    const mark = (customer: ReturnType<typeof sql>, kind: CauseKind) =>
      ledger.transaction(async (tx) => {
        const { rows } = await sql<{ id: string }>`SELECT id FROM outcomes WHERE customer_id = (${customer})`.execute(
          tx,
        );
        await markDirty(tx, profileId, new Map(rows.map(({ id }) => [id, [kind]])));
      });
    await mark(sql`SELECT min(id::text)::uuid FROM customers`, 'late_visit');
    await mark(sql`SELECT max(id::text)::uuid FROM customers`, 'outcome_recorded');
    const queue = attribution({ ...engines, now: options.now });
    await processQueue(kit.system, 'attribution', queue, profileId);
    const causes = async () =>
      Object.fromEntries(
        (
          await clickhouse.query(
            raw<{ cause: string; ref: string; n: string }>(
              `SELECT cause, any(cause_ref) AS ref, count() AS n FROM attributed_conversions FINAL WHERE profile_id = '${profileId}' GROUP BY cause`,
            ),
            {},
          )
        ).map(({ cause, ref, n }) => [cause, [Number(n), ref === requested?.id]]),
      );
    expect(await causes()).toEqual({
      replay: [298, false],
      'late_visit,rules': [1, false],
      outcome_recorded: [1, false],
    });
    expect(await replay(engines, options)).toMatchObject({ id: requested?.id, state: 'done' });
    expect(await causes()).toEqual({
      rules: [298, true],
      'late_visit,rules': [1, false],
      outcome_recorded: [1, false],
    });
    expect((await latest()).map(({ state }) => state)).toEqual(['done']);
    await drop();
    await replay(engines, options);
    expect(await causes()).toEqual({ replay: [300, false] });
  });

  test('that was stopped between two buckets continues at the next one', async () => {
    const { contents, options } = await fill();
    const engines = { app: kit.app, clickhouse };
    const stop = new AbortController();
    const done: number[] = [];
    const progress = (bucket: number) => {
      done.push(bucket);
      if (bucket === 3) stop.abort();
    };
    const first = await replay(engines, { ...options, buckets: 8, signal: stop.signal, progress });
    expect(first.state).toBe('stopped');
    const second = await replay(engines, { ...options, progress });
    expect(second).toMatchObject({ id: first.id, state: 'done', conversions: 300 });
    expect(done).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await contents()).toHaveLength(300);
  });
});
