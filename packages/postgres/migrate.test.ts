import { randomBytes } from 'node:crypto';
import { openTestkit, type Testkit } from '@tributary/testkit';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { compareMigrations, migrate, migrationFiles } from './migrate.ts';
import { tablesIn } from './upgrade-plan.ts';

let kit: Testkit;
beforeAll(async () => {
  kit = await openTestkit();
});
afterAll(() => kit.close());

/** Tables that can have millions of rows in an installation. */
const large = [
  'audit_log',
  'customers',
  'event_log',
  'idempotent_answers',
  'identifiers',
  'outcome_totals',
  'outcomes',
  'pii_access_log',
  'search_terms',
  'tombstones',
  'visitor_links',
];

test('no migration scans a large table in a transaction that blocks other users', () => {
  const since = migrationFiles().filter(({ name }) => name > '0053');
  const within = since.flatMap(({ name, text }) =>
    tablesIn(text)
      .filter((table) => large.includes(table))
      .map((table) => [name, table]),
  );
  // 0063 only updates rows that no other process writes to, and takes no table lock before that.
  expect(within).toEqual([['0063_webhooks', 'event_log']]);
  expect(since.filter(({ alone }) => alone !== '').map(({ name }) => name)).toEqual([
    '0063_webhooks',
    '0066_refunds',
    '0221_sales_of_before',
    '0230_outcome_types_of_a_deal',
    '0241_seen_when_active',
    '0250_sale_decisions',
  ]);
});

describe('statements before a migration’s transaction', () => {
  const before = '0061_open_customers';
  const opened: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const close of opened.toReversed()) await close();
  });

  async function connect(url: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url, lock_timeout: 2_000 });
    client.on('error', () => {});
    await client.connect();
    opened.push(() => client.end());
    return client;
  }

  /** A database in the state of an earlier version. */
  async function earlier(): Promise<string> {
    const name = `test_${randomBytes(6).toString('hex')}`;
    const admin = await connect(kit.database.ownerUrl);
    await admin.query(`CREATE DATABASE ${name}`);
    // DROP DATABASE fails while an autovacuum worker, which the owner may not terminate, is connected.
    opened.push(() => vi.waitFor(() => admin.query(`DROP DATABASE ${name} WITH (FORCE)`), { timeout: 40_000 }));
    const url = Object.assign(new URL(kit.database.ownerUrl), { pathname: `/${name}` }).href;
    await migrate(url, before);
    return url;
  }

  const shapeOf = async (client: pg.Client) => {
    const { rows } = await client.query(`
      SELECT indexdef AS is FROM pg_indexes WHERE schemaname = 'public'
      UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
      UNION ALL SELECT attrelid::regclass || ' ' || attnum || ' ' || attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull
        FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND attnum > 0
      ORDER BY 1`);
    return rows.map(({ is }) => is);
  };

  test('do not block writers, resume after an interruption, and produce the schema of a new database', async () => {
    const url = await earlier();
    const [reader, writer] = [await connect(url), await connect(url)];
    // CREATE INDEX CONCURRENTLY waits for transactions that began before it.
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM workspaces');
    const migrating = migrate(url).then(
      () => 'migrated',
      () => 'ended',
    );
    const underWay = async () => {
      const { rows } = await writer.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event_type = 'Lock' AND datname = current_database()`,
      );
      return rows[0]?.pid;
    };
    await expect.poll(underWay).toBeTypeOf('number');
    await writer.query('UPDATE event_log SET kept_from = now()');
    await writer.query('SELECT pg_terminate_backend($1)', [await underWay()]);
    expect(await migrating).toBe('ended');
    const { rows } = await writer.query('SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid');
    expect(rows).toEqual([{ name: 'event_log_by_life' }]);

    await reader.query('COMMIT');
    const both = await Promise.all([migrate(url), migrate(url)]);
    expect(both.flat().sort()).toEqual(
      migrationFiles()
        .map(({ name }) => name)
        .filter((name) => name > before),
    );
    expect(await compareMigrations(url)).toEqual({ waiting: [], unknown: [] });
    expect(await shapeOf(writer)).toEqual(await shapeOf(await connect(kit.database.ownerUrl)));
  });
});
