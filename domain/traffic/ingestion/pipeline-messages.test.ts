import { createClickHouse, type VisitRow } from '@tributary/clickhouse';
import { createPostgres } from '@tributary/postgres';
import { RetryLater } from '@tributary/stream';
import { buildProfile, openTestWithClickHouse, testRing } from '@tributary/testkit';
import { createVault } from '@tributary/vault';
import { limits, minuteMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { delivered, messageOf, openTestIngestion } from './ingestion.fixture.ts';
import { openPipeline } from './pipeline.fixture.ts';
import { pipeline } from './pipeline.ts';
import { replayBadVisits } from './replay-bad-visits.ts';

const { kit, clickhouse } = await openTestWithClickHouse();
const { ingestion, visit, rowsOf, inLedger } = openPipeline(kit, clickhouse);

test('the time of a profile’s last visit is updated every ten minutes and never moves back', async () => {
  const { id: profileId } = await buildProfile(kit.app);
  const begin = kit.clock.now().getTime();
  const sendAfter = (minutes: number, visits: readonly unknown[] = [visit()]) =>
    pipeline(ingestion)([
      delivered(messageOf({ profileId, receivedAt: new Date(begin + minutes * minuteMs), visits })),
    ]);
  const noted = async () => {
    const [row] = await inLedger(profileId, sql<{ received_at: Date }>`SELECT received_at FROM last_visits`);
    return row && (row.received_at.getTime() - begin) / minuteMs;
  };
  await sendAfter(0, []);
  expect(await noted()).toBeUndefined();
  const { notedEveryMinutes: step } = limits.tracking;
  for (const [minutes, shown] of [
    [1, 1],
    [1 + step, 1],
    [2 + step, 2 + step],
    [3, 2 + step],
  ] as const) {
    await sendAfter(minutes);
    expect(await noted()).toBe(shown);
  }
});

describe('an invalid visit', () => {
  const badOf = (profileId: string) =>
    inLedger(
      profileId,
      sql<{
        id: string;
        reason: string;
        sealed: Buffer;
        replayed_at: Date | null;
      }>`SELECT * FROM bad_visits ORDER BY reason`,
    );

  test('is stored once, encrypted, with its reason', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const message = messageOf({
      profileId,
      receivedAt: kit.clock.now(),
      visits: [{ url: 'canary' }, visit({ type: 'canary' }), visit()],
    });
    for (let time = 0; time < 2; time += 1) await pipeline(ingestion)([delivered(message)]);
    const rows = await badOf(profileId);
    expect(rows.map(({ reason }) => reason)).toEqual(['bad_id', 'bad_type']);
    expect(Buffer.concat(rows.map(({ sealed }) => sealed)).includes('canary')).toBe(false);
    expect(await rowsOf('visits', profileId)).toHaveLength(1);
  });

  test('is stored even if thousands arrive in one batch', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const requests = Array.from({ length: 300 }, () =>
      messageOf({ profileId, receivedAt: kit.clock.now(), visits: Array.from({ length: 50 }, () => null) }),
    );
    await pipeline(ingestion)([delivered(...requests)]);
    expect(await badOf(profileId)).toHaveLength(15_000);
  });

  test('is replayed once after a fix, with its original arrival time', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const wanted = visit({ type: 'track', name: 'lead_created' });
    // Emulates a row that an older version of the rules could not read.
    const message = messageOf({
      profileId,
      receivedAt: kit.clock.now(),
      visits: [{}, { ...wanted, id: 'not yet' }, null],
    });
    await pipeline(ingestion)([delivered(message)]);
    const [bad] = await badOf(profileId);
    await reseal(profileId, bad?.id as string, wanted);
    kit.clock.advance(90 * 24 * 3_600_000);

    const dry = await replayBadVisits(ingestion, { profileId, isDryRun: true });
    expect(dry).toEqual({ total: 3, replayed: 1, stillBad: { bad_id: 1, not_an_object: 1 } });
    expect(await rowsOf('visits', profileId)).toEqual([]);
    const done: number[] = [];
    const first = await replayBadVisits(ingestion, {
      profileId,
      isDryRun: false,
      progress: (count) => done.push(count),
    });
    expect(first).toEqual(dry);
    expect(done).toEqual([3]);
    expect(await rowsOf<VisitRow>('visits', profileId)).toMatchObject([
      { visit_id: wanted.id, occurred_at: wanted.at },
    ]);
    expect(await inLedger(profileId, sql`SELECT FROM outcomes`)).toHaveLength(1);
    expect(await replayBadVisits(ingestion, { profileId, isDryRun: false })).toMatchObject({ total: 2, replayed: 0 });
  });

  async function reseal(profileId: string, id: string, sent: unknown): Promise<void> {
    const vault = createVault(testRing.keys('envelope'));
    const place = { table: 'bad_visits', column: 'sealed', row: id, profileId };
    const [row] = await inLedger(profileId, sql<{ sealed: Buffer }>`SELECT sealed FROM bad_visits WHERE id = ${id}`);
    const content = JSON.parse(vault.open(row?.sealed as Buffer, place));
    const sealed = vault.seal(JSON.stringify({ ...content, sent: JSON.stringify(sent) }), place);
    await inLedger(profileId, sql`UPDATE bad_visits SET sealed = ${sealed} WHERE id = ${id}`);
  }
});

describe('a stream message', () => {
  test('with an unknown format becomes a dead letter, and the other messages are processed', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const unknown = [delivered('no json'), delivered({ v: 2 }), delivered('null')];
    const good = delivered(messageOf({ profileId, receivedAt: kit.clock.now(), visits: [visit()] }));
    await pipeline(ingestion)([...unknown, good]);
    expect(unknown.map(({ rejected }) => rejected.length)).toEqual([1, 1, 1]);
    expect(good.rejected).toEqual([]);
    expect(await rowsOf('visits', profileId)).toHaveLength(1);
  });

  test('may hold several requests; an unknown one does not stop the others', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const requests = [1, 2].map(() => messageOf({ profileId, receivedAt: kit.clock.now(), visits: [visit()] }));
    const message = delivered(requests[0], '{"v":0}', requests[1]);
    await pipeline(ingestion)([message]);
    expect(await rowsOf('visits', profileId)).toHaveLength(2);
    expect(message.rejected).toHaveLength(1);
  });

  test('encrypted with a newer key is opened after a key refresh; one that never opens becomes a dead letter', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const message = messageOf({ profileId, receivedAt: kit.clock.now(), visits: [visit({ link_token: 't' })] });
    let keys: ReturnType<typeof testRing.keys> = [{ id: 'older', bytes: Buffer.alloc(32, 1) }];
    const ring = { ...testRing, keys: () => keys };
    const late = openTestIngestion(kit.app, clickhouse, () => kit.clock.now(), {
      ring: {
        ...ring,
        refresh: async () => {
          keys = testRing.keys('stream');
        },
      },
    });
    const first = delivered(message);
    await pipeline(late)([first]);
    expect(first.rejected).toEqual([]);
    keys = [{ id: 'older', bytes: Buffer.alloc(32, 1) }];
    const never = openTestIngestion(kit.app, clickhouse, () => kit.clock.now(), { ring });
    const second = delivered(message);
    await pipeline(never)([second]);
    expect(second.rejected).toHaveLength(1);
  });

  test('is retried while a database is unavailable', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const message = delivered(messageOf({ profileId, receivedAt: kit.clock.now(), visits: [visit()] }));
    const nowhere = createClickHouse({ url: 'http://127.0.0.1:1', database: 'none' });
    const withoutClickHouse = openTestIngestion(kit.app, nowhere, () => kit.clock.now());
    await expect(pipeline(withoutClickHouse)([message])).rejects.toThrow(RetryLater);
    await nowhere.close();
    const gone = createPostgres({ url: 'postgres://nobody@127.0.0.1:1/none', poolSize: 1 });
    const withoutPostgres = openTestIngestion(gone, clickhouse, () => kit.clock.now());
    await expect(pipeline(withoutPostgres)([message])).rejects.toThrow(RetryLater);
    await gone.close();
    expect(message.rejected).toEqual([]);
  });
});
