import { raw } from '@tributary/clickhouse';
import { sweepExpired, sweepOld } from '@tributary/postgres';
import { declareStreams, defaultStreamSettings } from '@tributary/stream';
import { buildMember, buildProfile, openTestWithClickHouse } from '@tributary/testkit';
import { type RetentionPolicy, retentionPolicies } from '@tributary/vocabulary/retention.ts';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { describe, expect, test } from 'vitest';

const { kit, clickhouse } = await openTestWithClickHouse();
const signal = new AbortController().signal;
const sweeper = () => ({ ledger: kit.system.unbound, now: kit.clock.now(), days: { BAD_VISIT_DAYS: 30 }, signal });

const tablesOf = async (schema: string) =>
  (
    await kit.owner.unbound.query(
      sql<{ name: string }>`
        SELECT relname AS name FROM pg_class
        WHERE relnamespace = ${schema}::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY name`,
    )
  ).rows.map(({ name }) => name);
const tablesOfClickHouse = () =>
  clickhouse.query(
    raw<{ name: string; statement: string }>(
      "SELECT name, create_table_query AS statement FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' ORDER BY name",
    ),
    {},
  );
const listed = (engine: keyof typeof retentionPolicies) => Object.keys(retentionPolicies[engine]).sort();

describe('every table, queue and stream has a retention period or a reason, and the list has no others', () => {
  test('in PostgreSQL', async () => {
    // Kysely creates tables for its own list of migrations.
    expect((await tablesOf('public')).filter((name) => !name.startsWith('kysely_'))).toEqual(listed('postgres'));
    expect(await tablesOf('pgboss')).toEqual(listed('pgboss'));
  });

  test('in ClickHouse, with a TTL of the documented number of days', async () => {
    const tables = await tablesOfClickHouse();
    expect(tables.map(({ name }) => name)).toEqual(listed('clickhouse'));
    for (const { name, statement } of tables) {
      const life: RetentionPolicy = retentionPolicies.clickhouse[name as keyof typeof retentionPolicies.clickhouse];
      const ttl = /TTL .*toIntervalDay\((\d+)\)/.exec(statement)?.[1];
      expect(ttl, name).toBe(life.ends === 'by the engine' ? String(life.days) : undefined);
    }
  });

  test('in NATS', () => {
    const streams = declareStreams('test', { ...defaultStreamSettings, deadLetterRetentionMs: 1 });
    expect(Object.keys(streams).sort()).toEqual(listed('streams'));
    expect(streams.visits[0].config.max_age).toBe(Number(retentionPolicies.streams.visits.days) * 86_400e9);
  });

  test('in the job queue, whose retention does not depend on the defaults of pg-boss', async () => {
    const { rows } = await kit.owner.unbound.query(
      sql`SELECT DISTINCT retention_seconds::int AS waiting, deletion_seconds::int AS ended FROM pgboss.queue WHERE name NOT LIKE '\\_\\_%'`,
    );
    expect(rows).toEqual([{ waiting: 14 * 86_400, ended: 7 * 86_400 }]);
  });
});

describe('the sweeps', () => {
  test('may delete from every table with a retention period, and read only keys and ages of rows', async () => {
    await expect(sweepOld(sweeper())).resolves.toBe(0);
    await expect(sweepExpired(sweeper())).resolves.toBeGreaterThanOrEqual(0);
    for (const column of ['hash', 'name'])
      await expect(kit.system.unbound.query(sql`SELECT ${sql.ref(column)} FROM api_keys`)).rejects.toThrow(
        'permission denied',
      );
    await expect(kit.system.unbound.query(sql`SELECT email FROM invitations`)).rejects.toThrow('permission denied');
  });

  test('delete keys a year after they were revoked or expired, and invitations after 90 days', async () => {
    const now = kit.clock.now();
    const ago = (days: number) => new Date(now.getTime() - days * 86_400_000);
    const profile = await buildProfile(kit.app);
    const member = await buildMember(kit.app, profile.workspaceId);
    const key = (revoked_at: Date | null, expires_at: Date | null) => ({
      profile_id: profile.id,
      id: uuid(),
      name: 'k',
      hash: Buffer.from(uuid()),
      prefix: 'p',
      last4: 'l',
      scopes: [],
      requests_per_minute: 1,
      created_at: ago(900),
      revoked_at,
      expires_at,
    });
    const keys = [key(null, null), key(ago(365), null), key(ago(366), null), key(null, ago(366)), key(null, ago(-1))];
    await kit.app.forProfile(profile.id).transaction((tx) => tx.insertInto('api_keys').values(keys).execute());
    const invitations = [90, 91].map((days) => ({
      workspace_id: profile.workspaceId,
      id: uuid(),
      hash: Buffer.from(uuid()),
      role: 'viewer',
      invited_by: member.userId,
      created_at: ago(900),
      expires_at: ago(days),
    }));
    await kit.app
      .forWorkspace(profile.workspaceId)
      .transaction((tx) => tx.insertInto('invitations').values(invitations).execute());
    expect(await sweepOld(sweeper(), ['api_keys', 'invitations'])).toBe(3);
    const left = await kit.app
      .forProfile(profile.id)
      .transaction((tx) => tx.selectFrom('api_keys').select('id').orderBy('id').execute());
    expect(left.map(({ id }) => id)).toEqual([keys[0], keys[1], keys[4]].map((row) => row?.id).sort());
  });

  test('delete all old rows, also when there are more than a batch of 5,000', async () => {
    const { id, workspaceId } = await buildProfile(kit.app);
    const longAgo = new Date(kit.clock.now().getTime() - 9_000 * 86_400_000);
    await kit.app.forProfile(id).transaction((tx) =>
      sql`
        INSERT INTO pii_access_log (workspace_id, profile_id, id, at, actor_kind, actor_id, operation, people, result, request_id)
        SELECT ${workspaceId}::uuid, ${id}::uuid, gen_random_uuid(), ${longAgo}, 'api_key', ${id}::uuid, 'test', 1, 'served', n::text
        FROM generate_series(1, 5001) n`.execute(tx),
    );
    expect(await sweepOld(sweeper(), ['pii_access_log'])).toBe(5_001);
  });
});
