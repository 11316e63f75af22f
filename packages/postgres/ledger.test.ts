import { buildProfile, openTestkit, type Testkit } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPostgres, switchScope, type Tx } from './index.ts';

let kit: Testkit;
beforeAll(async () => {
  kit = await openTestkit();
});
afterAll(() => kit.close());

describe('tenant isolation', () => {
  test('a row of another profile is invisible under the app role in every table', async () => {
    const [mine, theirs] = [await buildProfile(kit.app), await buildProfile(kit.app)];
    const tables = await profileTables();
    expect(tables).toContain('outcomes');
    for (const profile of [mine, theirs]) await fillEveryTable(profile, tables);
    for (const table of tables) {
      // A table without SELECT for the app role exposes no rows.
      if (!(await mayRead(table))) continue;
      const seen = await kit.app
        .withScope({ profileId: mine.id, workspaceId: mine.workspaceId })
        .transaction((tx) => sql<{ profile_id: string }>`SELECT profile_id FROM ${sql.table(table)}`.execute(tx));
      expect(seen.rows, table).not.toHaveLength(0);
      expect(new Set(seen.rows.map((row) => row.profile_id)), table).toEqual(new Set([mine.id]));
    }
  });

  test('every table with a profile_id forces a policy, and no policy lets the app role see or write all', async () => {
    for (const table of await profileTables()) {
      const { rows } = await owner<{ forced: boolean; open: number }>(sql`
        SELECT c.relrowsecurity AND c.relforcerowsecurity AS forced,
          (SELECT count(*) FROM pg_policies p WHERE p.tablename = c.relname AND (p.qual = 'true' OR p.with_check = 'true')
             AND NOT p.roles <@ '{tributary_system,tributary_owner}')::int AS open
        FROM pg_class c WHERE c.oid = ${table}::regclass`);
      expect(rows[0], table).toEqual({ forced: true, open: 0 });
    }
  });

  test('no policy of any table lets the app role see or write everything', async () => {
    const { rows } = await owner<{ open: string }>(sql`
      SELECT tablename || ' ' || policyname AS open FROM pg_policies
      WHERE schemaname = 'public' AND (qual = 'true' OR with_check = 'true') AND NOT roles <@ '{tributary_system,tributary_owner}'`);
    expect(rows).toEqual([]);
  });

  test('the collector role reads only the public columns of the key ring, and finds only tracking keys and sealed secrets', async () => {
    const { rows: readable } = await owner<{ name: string; columns: string[] }>(sql`
      SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attname) AS columns
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
      WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND c.relkind IN ('r', 'p', 'v', 'm', 'S') AND NOT a.attisdropped
        AND has_schema_privilege('tributary_collector', n.oid, 'USAGE')
        AND (has_column_privilege('tributary_collector', c.oid, a.attnum, 'SELECT, INSERT, UPDATE')
          OR (c.relkind <> 'S' AND has_table_privilege('tributary_collector', c.oid, 'DELETE, TRUNCATE')))
      GROUP BY 1`);
    expect(readable).toEqual([
      { name: 'key_ring', columns: ['created_at', 'id', 'public_key', 'purpose', 'retired_at'] },
    ]);
    const { rows: callable } = await owner<{ name: string }>(sql`
      SELECT p.proname AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname = 'public' AND p.prosecdef AND p.prorettype <> 'trigger'::regtype
        AND has_function_privilege('tributary_collector', p.oid, 'EXECUTE') ORDER BY 1`);
    expect(callable.map(({ name }) => name)).toEqual([
      'find_envelope_keys',
      'find_tracking_keys',
      'find_webhook_secrets',
    ]);
  });

  test('without a profile no row is visible', async () => {
    const profile = await buildProfile(kit.app);
    await kit.app.forProfile(profile.id).transaction((tx) => writeRow(tx, profile.id));
    const seen = await kit.app.unbound.transaction((tx) => tx.selectFrom('dirty_customers').selectAll().execute());
    expect(seen).toEqual([]);
  });

  test('a workspace sees itself and no other', async () => {
    const [mine] = [await buildProfile(kit.app), await buildProfile(kit.app)];
    const seen = await kit.app
      .forWorkspace(mine.workspaceId)
      .transaction((tx) => tx.selectFrom('workspaces').select('id').execute());
    expect(seen).toEqual([{ id: mine.workspaceId }]);
  });

  test('a row cannot be written for another profile', async () => {
    const [mine, theirs] = [await buildProfile(kit.app), await buildProfile(kit.app)];
    const write = kit.app.forProfile(mine.id).transaction((tx) => writeRow(tx, theirs.id));
    await expect(write).rejects.toThrow(/row-level security/);
  });

  test('a connection that served one profile does not expose its rows to the next user', async () => {
    const single = createPostgres({ url: kit.database.appUrl, poolSize: 1 });
    try {
      const profile = await buildProfile(kit.app);
      await single.forProfile(profile.id).transaction((tx) => writeRow(tx, profile.id));
      const seen = await single.unbound.transaction((tx) => tx.selectFrom('dirty_customers').selectAll().execute());
      expect(seen).toEqual([]);
    } finally {
      await single.close();
    }
  });

  test('a transaction that switches its tenant scope no longer sees the first scope', async () => {
    const [first, second] = [await buildProfile(kit.app), await buildProfile(kit.app)];
    const seen = await kit.app.forProfile(first.id).transaction(async (tx) => {
      await switchScope(tx, { workspaceId: second.workspaceId });
      return tx.selectFrom('profiles').select('id').execute();
    });
    expect(seen).toEqual([{ id: second.id }]);
  });

  test('the tenant scope accepts only a UUID', async () => {
    expect(() => kit.app.forProfile("x'; DROP TABLE customers; --")).toThrow(TypeError);
  });
});

test('rolls back the writes of a failed transaction', async () => {
  const profile = await buildProfile(kit.app);
  const ledger = kit.app.forProfile(profile.id);
  const failing = ledger.transaction(async (tx) => {
    await writeRow(tx, profile.id);
    throw new Error('second thoughts');
  });
  await expect(failing).rejects.toThrow('second thoughts');
  expect(await ledger.transaction((tx) => tx.selectFrom('dirty_customers').selectAll().execute())).toEqual([]);
});

/** Any table under row-level security works here. */
const writeRow = (tx: Tx, profileId: string) =>
  tx.insertInto('dirty_customers').values({ profile_id: profileId, customer_id: uuid() }).execute();

async function owner<T>(query: ReturnType<typeof sql>): Promise<{ rows: T[] }> {
  const postgres = createPostgres({ url: kit.database.ownerUrl, poolSize: 1 });
  try {
    return (await postgres.unbound.transaction((tx) => query.execute(tx))) as { rows: T[] };
  } finally {
    await postgres.close();
  }
}

async function profileTables(): Promise<string[]> {
  const { rows } = await owner<{ name: string }>(sql`
    SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND a.attname = 'profile_id' AND NOT a.attisdropped ORDER BY 1`);
  return rows.map((row) => row.name);
}

const mayRead = async (table: string) =>
  (await owner<{ may: boolean }>(sql`SELECT has_table_privilege('tributary_app', ${table}, 'SELECT') AS may`)).rows[0]
    ?.may === true;

/** Inserts a row into each table. It takes column names from the catalogue, so that new tables are covered automatically. */
async function fillEveryTable(profile: { id: string; workspaceId: string }, tables: readonly string[]): Promise<void> {
  const { default: pg } = await import('pg');
  const { pathname, host, password } = new URL(kit.database.ownerUrl);
  const admin = new pg.Client({ connectionString: `postgres://postgres:${password}@${host}${pathname}` });
  await admin.connect();
  try {
    // Only visibility is tested here, so foreign keys and policies are switched off.
    await admin.query('SET session_replication_role = replica');
    for (const table of tables) {
      const { rows } = await admin.query(
        `SELECT a.attname AS name, t.typname AS type, t.typcategory AS category FROM pg_attribute a
         JOIN pg_type t ON t.oid = a.atttypid
         WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND a.attidentity = ''
           AND (a.attnotnull AND NOT a.atthasdef OR a.attname = 'profile_id')`,
        [table],
      );
      const checks = await admin.query(
        `SELECT conname FROM pg_constraint WHERE conrelid = $1::regclass AND contype = 'c'`,
        [table],
      );
      for (const { conname } of checks.rows) await admin.query(`ALTER TABLE ${table} DROP CONSTRAINT "${conname}"`);
      const own: Record<string, string> = { profile_id: `'${profile.id}'`, workspace_id: `'${profile.workspaceId}'` };
      const columns = rows.map((row) => `"${row.name}"`);
      const values = rows.map((row) => own[row.name] ?? sample(row.type, row.category));
      await admin.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})`);
    }
  } finally {
    await admin.end();
  }
}

function sample(type: string, category: string): string {
  if (category === 'A') return `'{}'`;
  const samples: Record<string, string> = {
    uuid: 'gen_random_uuid()',
    jsonb: `'{}'`,
    bytea: 'gen_random_uuid()::text::bytea',
    date: 'now()::date',
    bool: 'true',
    timestamptz: 'now()',
    int8: '(random() * 1e15)::bigint',
    int4: '(random() * 1e9)::int',
    int2: '1',
    numeric: '1',
  };
  return samples[type] ?? `gen_random_uuid()::text`;
}
