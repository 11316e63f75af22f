import { raw, type TouchRow } from '@tributary/clickhouse';
import { buildProfile, openTestWithClickHouse } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { describe, expect, test } from 'vitest';
import { replay } from './replay.ts';

const { kit, clickhouse } = await openTestWithClickHouse();

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
  test('[evnt-012] works out everything, whatever the number of buckets, and says when it is done', async () => {
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

  test('tells of the first share of a definition, once', async () => {
    const { options, ledger } = await fill({ ad_id: uuid() });
    const engines = { app: kit.app, clickhouse };
    const told = () =>
      ledger.transaction((tx) =>
        sql<{ type: string }>`SELECT type FROM outbox WHERE type = 'conversion.attributed'`.execute(tx),
      );
    await replay(engines, { ...options, buckets: 2 });
    expect((await told()).rows).toHaveLength(1);
    await replay(engines, { ...options, buckets: 2 });
    expect((await told()).rows).toHaveLength(1);
  });

  test('run again, in other buckets, writes nothing and adds no history', async () => {
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

  test('leaves nothing of conversions that a definition dropped', async () => {
    const { contents, count, options, ledger } = await fill();
    const engines = { app: kit.app, clickhouse };
    await replay(engines, options);
    await ledger.transaction((tx) => sql`UPDATE definitions SET is_attribution_eligible = false`.execute(tx));
    await replay(engines, options);
    expect(await contents()).toEqual([]);
    expect(await count('attribution_history')).toBe(300);
  });

  test('stopped between two buckets goes on there', async () => {
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
