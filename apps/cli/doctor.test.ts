import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { raw } from '@tributary/clickhouse';
import { buildProfile, openKit, openWarehouse } from '@tributary/testkit';
import { openPrivateStream } from '@tributary/testkit/stream';
import { sql } from 'kysely';
import pg from 'pg';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { examineMoves } from './doctor/postgres.ts';

const kit = await openKit();
const warehouse = await openWarehouse(kit);
const log = await openPrivateStream();
afterAll(async () => {
  await log.destroy();
  await warehouse.drop();
});

interface Finding {
  readonly what: string;
  readonly state: string;
  readonly detail: string;
  readonly advice?: string;
}

function examine(changes: Record<string, string> = {}): Promise<{ code: unknown; findings: Finding[] }> {
  const env = {
    ...process.env,
    // Vitest sets another BASE_URL.
    BASE_URL: 'http://127.0.0.1',
    DATABASE_OWNER_URL: kit.database.ownerUrl,
    DATABASE_APP_URL: kit.database.appUrl,
    DATABASE_SYSTEM_URL: kit.database.systemUrl,
    DATABASE_COLLECTOR_URL: kit.database.collectorUrl,
    CLICKHOUSE_URL: kit.clickhouseUrl,
    CLICKHOUSE_DATABASE: kit.clickhouseDatabase,
    NATS_URL: kit.natsUrl,
    STREAM_PREFIX: log.prefix,
    REDIS_URL: kit.redisUrl,
    REDIS_PREFIX: kit.redisPrefix,
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    ...changes,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [join(import.meta.dirname, 'main.ts'), 'doctor', '--json'], { env }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, findings: JSON.parse(stdout) }),
    );
  });
}

const of = (findings: readonly Finding[], what: string) =>
  findings.filter((finding) => finding.what === what).map(({ state, detail, advice }) => ({ state, detail, advice }));

// Examined before a test breaks something: a removed migration and a dead letter affect later tests.
let well: Awaited<ReturnType<typeof examine>>;
beforeAll(async () => {
  well = await examine();
});

test('reports every check of a healthy installation', () => {
  const { code, findings } = well;
  expect(findings.filter(({ state, what }) => state !== 'ok' && what !== 'disk')).toEqual([]);
  expect(new Set(findings.map(({ what }) => what))).toEqual(
    new Set([
      'settings',
      'postgres',
      'clickhouse',
      'nats',
      'provider webhooks',
      'visits log',
      'dead letters',
      'redis',
      'jobs',
      'set aside',
      'bad visits',
      'upgrade',
      'disk',
    ]),
  );
  expect(findings).toContainEqual({ what: 'redis', state: 'ok', detail: 'answers and counts' });
  expect([0, 1]).toContain(code);
});

test('reports failed jobs, parked work, invalid visits, dead letters and a read-only engine, each with advice', async () => {
  const { id } = await buildProfile(kit.app);
  await kit.owner.unbound.query(sql`
    INSERT INTO pgboss.job (id, name, state, completed_on)
    SELECT gen_random_uuid(), 'forget-expired', 'failed', now() - n * interval '1 hour' FROM generate_series(1, 3) n`);
  await kit.app.forProfile(id).transaction((tx) =>
    sql`INSERT INTO bad_visits (profile_id, id, reason, sealed, received_at)
        SELECT ${id}::uuid, gen_random_uuid(), 'x', '\\x00', now() FROM generate_series(1, 1200)`.execute(tx),
  );
  await kit.system.unbound.query(
    sql`INSERT INTO work_set_aside (queue, key, item, reason) VALUES ('attribution', ${id}, 'x', 'Error: no')`,
  );
  await log.stream.publish([{ id: uuid(), key: 'a', payload: Buffer.from('a') }]);
  const reader = await log.stream.consume({
    name: 'ingestion',
    pullMs: 1_000,
    handler: async ([message]) => message?.reject('no'),
  });
  await expect.poll(() => log.stream.deadLetters.count()).toBe(1);
  await reader.stop();
  await kit.owner.unbound.query(
    sql`DELETE FROM kysely_migration WHERE name = (SELECT max(name) FROM kysely_migration)`,
  );
  await warehouse.client.command(
    raw("INSERT INTO schema_migrations (name, checksum, applied_at) VALUES ('9999_later', 'x', now64())"),
    {},
  );
  const readOnly = encodeURIComponent('-c default_transaction_read_only=on');
  const { code, findings } = await examine({ DATABASE_APP_URL: `${kit.database.appUrl}?options=${readOnly}` });
  expect(code).toBe(1);
  const expectFinding = (what: string, detail: RegExp, advice: RegExp) =>
    expect(of(findings, what), what).toContainEqual({
      state: 'wrong',
      detail: expect.stringMatching(detail),
      advice: expect.stringMatching(advice),
    });
  expectFinding('jobs', /^3 of "forget-expired" failed/, /Deletes expired stored answers.*runs again by itself/);
  expectFinding('set aside', /^1 piece/, /work list.*work retry/);
  expectFinding('bad visits', /^1200 visit\(s\) of 1 profile/, /tracking\/quality/);
  expectFinding('dead letters', /^1 message/, /replay-dead --dry-run/);
  expectFinding('postgres', /tributary_app may only read/, /failover/);
  expectFinding('upgrade', /^PostgreSQL waits for 1 migration\(s\): \d{4}_.*; about \d+ s$/, /tributary migrate/);
  expectFinding('upgrade', /^ClickHouse has been migrated by a later version: 9999_later/, /Run that version/);
});

test('names an engine that does not answer and still examines the others', async () => {
  const { findings } = await examine({ REDIS_URL: 'redis://127.0.0.1:1', CLICKHOUSE_URL: 'http://127.0.0.1:1' });
  for (const what of ['redis', 'clickhouse']) expect(of(findings, what)[0]?.state, what).toBe('wrong');
  expect(of(findings, 'nats')[0]?.state).toBe('ok');
});

test('names each node of a cluster, and an unreachable one does not hide the others', async () => {
  const nodes = `${kit.clickhouseUrl},http://127.0.0.1:1`;
  const { findings } = await examine({ CLICKHOUSE_CLUSTER: 'tributary', CLICKHOUSE_NODES: nodes });
  const { host } = new URL(kit.clickhouseUrl);
  expect(of(findings, 'clickhouse')).toEqual([
    { state: 'ok', detail: expect.stringMatching(new RegExp(`^${host}: version \\d`)), advice: undefined },
    {
      state: 'wrong',
      detail: expect.stringMatching(/^127\.0\.0\.1:1: /),
      advice: expect.stringContaining('CLICKHOUSE_NODES'),
    },
  ]);
});

test('detects an interrupted workspace move by its replication slot', async () => {
  const admin = new pg.Client({ connectionString: kit.database.ownerUrl.replace('tributary_owner', 'postgres') });
  await admin.connect();
  const slot = `tributary_move_${uuid().slice(-12)}`;
  await admin.query("SELECT pg_create_logical_replication_slot($1, 'test_decoding')", [slot]);
  try {
    await buildProfile(kit.app);
    expect(await examineMoves('postgres', kit.owner)).toEqual([]);
    const [finding] = await examineMoves('postgres', kit.owner, 0);
    expect(finding).toMatchObject({
      what: 'postgres',
      state: 'wrong',
      detail: expect.stringMatching(/^a move .* MiB/),
    });
    expect(finding?.advice).toContain(`pg_drop_replication_slot('${slot}')`);
  } finally {
    await admin.query('SELECT pg_drop_replication_slot($1)', [slot]);
    await admin.end();
  }
});
