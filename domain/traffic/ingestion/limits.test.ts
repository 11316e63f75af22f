import { createPostgres, sweepOld, wasTooSlow } from '@tributary/postgres';
import { RetryLater } from '@tributary/stream';
import { buildProfile, openTestWithClickHouse } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { openBadVisits } from './erase-invalid-visits.ts';
import { delivered, messageOf, openTestIngestion } from './ingestion.fixture.ts';
import { refusedMessage } from './message.ts';
import { pipeline } from './pipeline.ts';
import { replayBadVisits } from './replay-bad-visits.ts';

const { kit, clickhouse } = await openTestWithClickHouse();

const open = (badBytesPerDay = 50 << 20) =>
  openTestIngestion(kit.app, clickhouse, () => kit.clock.now(), { badBytesPerDay });
const inLedger = async <Row>(profileId: string, statement: ReturnType<typeof sql<Row>>) =>
  (await kit.app.forProfile(profileId).transaction((tx) => statement.execute(tx))).rows;
const countStored = (profileId: string) =>
  inLedger(
    profileId,
    sql<{ rows: number; contents: number; bytes: number }>`
      SELECT count(*)::int AS rows, count(sealed)::int AS contents, coalesce(sum(octet_length(sealed)), 0)::int AS bytes
      FROM bad_visits`,
  );

test('beyond the daily byte limit an invalid visit is stored without content, and a redelivery changes nothing', async () => {
  const { id: profileId } = await buildProfile(kit.app);
  const ingestion = open(8_000);
  const send = (receivedAt: Date) =>
    delivered(messageOf({ profileId, receivedAt, visits: Array.from({ length: 20 }, () => ({ x: 'y'.repeat(500) })) }));
  const batches = [send(kit.clock.now()), send(kit.clock.now())];
  for (const batch of [...batches, ...batches]) await pipeline(ingestion)([batch]);
  const [today] = await countStored(profileId);
  expect(today).toMatchObject({ rows: 40, contents: expect.any(Number), bytes: expect.any(Number) });
  expect(today?.contents).toBeGreaterThan(3);
  expect(today?.bytes).toBeLessThanOrEqual(8_000);
  expect(await inLedger(profileId, sql`SELECT bytes::int FROM bad_visit_days`)).toEqual([{ bytes: today?.bytes }]);
  // The next day has its own limit, and rows without content are neither opened nor replayed.
  await pipeline(ingestion)([send(new Date(kit.clock.now().getTime() + 86_400_000))]);
  const [both] = await countStored(profileId);
  expect(both?.contents).toBe(2 * (today?.contents as number));
  expect(await replayBadVisits(ingestion, { profileId, isDryRun: true })).toMatchObject({ total: both?.contents });
  let opened = 0;
  for await (const batch of openBadVisits(ingestion, profileId)) opened += batch.length;
  expect(opened).toBe(both?.contents);
});

test('messages are held while PostgreSQL is read-only, as after a failover, but not after a statement timeout', async () => {
  const { id: profileId } = await buildProfile(kit.app);
  const batch = [delivered(messageOf({ profileId, receivedAt: kit.clock.now(), visits: [0] }))];
  const under = async (options: string, statementTimeoutMs = 30_000) => {
    const url = `${kit.database.appUrl}?options=${encodeURIComponent(options)}`;
    const postgres = createPostgres({ url, poolSize: 2, statementTimeoutMs });
    const ingestion = openTestIngestion(postgres, clickhouse, () => kit.clock.now());
    const error = await pipeline(ingestion)(batch).catch((thrown: unknown) => thrown);
    await postgres.close();
    return error;
  };
  expect(await under('-c default_transaction_read_only=on')).toBeInstanceOf(RetryLater);
  await kit.app.forProfile(profileId).transaction(async (tx) => {
    await sql`INSERT INTO bad_visit_days (profile_id, day, bytes) VALUES (${profileId}, '2026-06-15', 0)`.execute(tx);
    const error = await under('', 500);
    expect([error instanceof RetryLater, wasTooSlow(error)]).toEqual([false, true]);
  });
  await pipeline(open())(batch);
  expect(await countStored(profileId)).toMatchObject([{ rows: 1 }]);
});

test('refused visits are counted once, however often and in whichever order collectors report them', async () => {
  const { id: profileId } = await buildProfile(kit.app);
  const [first, second] = [uuid(), uuid()];
  const report = (teller: string, counts: object) =>
    delivered(refusedMessage(profileId, teller, kit.clock.now().toISOString(), { day: '2026-06-15', counts }));
  const messages = [
    report(first, { daily_quota: 9, consent: 2 }),
    report(first, { daily_quota: 4 }),
    report(second, { daily_quota: 5 }),
    report(first, { daily_quota: 9, consent: 2 }),
  ];
  await pipeline(open())(messages.slice(0, 2));
  await pipeline(open())(messages.slice(2));
  const rows = await inLedger(
    profileId,
    sql`SELECT reason, sum(visits)::int AS visits FROM refused_visits GROUP BY 1 ORDER BY 1`,
  );
  expect(rows).toEqual([
    { reason: 'consent', visits: 2 },
    { reason: 'daily_quota', visits: 14 },
  ]);
});

test('invalid visits and counts expire in every profile, and the system role cannot read their content', async () => {
  const now = kit.clock.now();
  const profiles = [await buildProfile(kit.app), await buildProfile(kit.app)];
  for (const { id: profileId } of profiles)
    for (const days of [31, 29]) {
      const receivedAt = new Date(now.getTime() - days * 86_400_000);
      const day = receivedAt.toISOString().slice(0, 10);
      await pipeline(open())([
        delivered(messageOf({ profileId, receivedAt, visits: [0] })),
        delivered(refusedMessage(profileId, uuid(), receivedAt.toISOString(), { day, counts: { consent: 1 } })),
      ]);
    }
  await expect(kit.system.unbound.query(sql`SELECT sealed FROM bad_visits`)).rejects.toThrow('permission denied');
  expect(
    await sweepOld({
      ledger: kit.system.unbound,
      now,
      days: { BAD_VISIT_DAYS: 30 },
      signal: new AbortController().signal,
    }),
  ).toBe(6);
  for (const { id } of profiles)
    for (const table of ['bad_visits', 'bad_visit_days', 'refused_visits'])
      expect(await inLedger(id, sql`SELECT 1 FROM ${sql.table(table)}`), table).toHaveLength(1);
});
