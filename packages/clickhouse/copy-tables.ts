import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { type ClickHouse, createClickHouse } from './client.ts';
import { readMigrations } from './migrate.ts';
import { raw } from './queries.ts';
import { type ClickHouseSettings, engineSettings } from './settings.ts';
import { identifier } from './template.ts';

/** What a batch works on, and each node's own notes: nobody misses them in a copy. */
const notCopied = new Set(['schema_migrations', 'attribution_conversions', 'attribution_links', 'attribution_touches']);

/** Long enough for the largest partition. */
const copyTimeoutMs = 6 * 3_600_000;

export interface CopiedPartition {
  readonly table: string;
  readonly partition: string;
  /** The same as long as the engine holds the very same files of it. */
  readonly fingerprint: string;
  readonly rows: number;
  /** Of all rows, whatever their order. */
  readonly hash: string;
}

export interface TableClones {
  /** Takes every table as it is now, in some milliseconds: the engine only links its files a second time. */
  take(): Promise<void>;
  partitions(): Promise<CopiedPartition[]>;
  /** In the engine's own format. */
  read(partition: CopiedPartition): Promise<Readable>;
  drop(): Promise<void>;
}

/** Copies of all tables that stand still while the tables themselves go on. */
export async function cloneTables(settings: ClickHouseSettings): Promise<TableClones> {
  refuseCluster(settings);
  const client = createClickHouse({ ...settings, requestTimeoutMs: copyTimeoutMs });
  const bytes = byteClient(settings);
  const prefix = `backup_${randomBytes(4).toString('hex')}_`;
  const tables = await listTables(client);
  const clone = (table: string) => identifier(`${prefix}${table}`);
  await Promise.all(
    tables.map(async (table) => {
      await client.command(raw(`CREATE TABLE ${clone(table)} AS ${identifier(table)}`), {});
      // A merge would give other files, and fewer rows, than were counted.
      await client.command(raw(`SYSTEM STOP MERGES ${clone(table)}`), {});
    }),
  );
  return {
    async take() {
      await Promise.all(
        tables.map((table) =>
          client.command(raw(`ALTER TABLE ${clone(table)} ATTACH PARTITION ALL FROM ${identifier(table)}`), {}),
        ),
      );
    },
    async partitions() {
      const found: CopiedPartition[] = [];
      for (const table of tables) {
        const parts = await client.query(
          raw<{ partition: string; fingerprint: string }>(
            `SELECT partition_id AS partition, lower(hex(sipHash128(arraySort(groupArray(hash_of_all_files))))) AS fingerprint
            FROM system.parts WHERE database = currentDatabase() AND table = '${clone(table)}' AND active
            GROUP BY partition_id ORDER BY partition_id`,
          ),
          {},
        );
        for (const { partition, fingerprint } of parts) {
          const summary = await summarize(client, clone(table), partition);
          found.push({ table, partition, fingerprint, ...summary });
        }
      }
      return found;
    },
    async read({ table, partition }) {
      const { stream } = await bytes.exec({
        query: `SELECT * FROM ${clone(table)} WHERE _partition_id = {partition:String} FORMAT Native`,
        query_params: { partition },
      });
      return stream;
    },
    async drop() {
      await Promise.all(tables.map((table) => client.command(raw(`DROP TABLE IF EXISTS ${clone(table)} SYNC`), {})));
      await Promise.all([client.close(), bytes.close()]);
    },
  };
}

export interface TableLoader {
  /** Rows in the engine's own format. */
  load(table: string, rows: Readable): Promise<void>;
  /** What views have made of the rows that were loaded, to make room for what they had made before. */
  clear(table: string): Promise<void>;
  summary(table: string, partition: string): Promise<Pick<CopiedPartition, 'rows' | 'hash'>>;
  /** Tables that a view fills when rows come into another: they are loaded last. */
  readonly filledByViews: ReadonlySet<string>;
  close(): Promise<void>;
}

/** Into tables that were just made. */
export async function loadTables(settings: ClickHouseSettings): Promise<TableLoader> {
  refuseCluster(settings);
  const client = createClickHouse({ ...settings, requestTimeoutMs: copyTimeoutMs });
  const bytes = byteClient(settings);
  const views = await client.query(
    raw<{ query: string }>(
      "SELECT create_table_query AS query FROM system.tables WHERE database = currentDatabase() AND engine = 'MaterializedView'",
    ),
    {},
  );
  // Rows that look the same to a view are merged; merging waits until all are counted.
  const tables = await listTables(client);
  await Promise.all(tables.map((table) => client.command(raw(`SYSTEM STOP MERGES ${identifier(table)}`), {})));
  return {
    filledByViews: new Set(views.flatMap(({ query }) => / TO (?:\w+\.)?(\w+)/.exec(query)?.[1] ?? [])),
    async load(table, rows) {
      const { stream } = await bytes.exec({ query: `INSERT INTO ${identifier(table)} FORMAT Native`, values: rows });
      await finished(stream.resume());
    },
    clear: (table) => client.command(raw(`TRUNCATE TABLE ${identifier(table)}`), {}),
    summary: (table, partition) => summarize(client, identifier(table), partition),
    async close() {
      await Promise.all(tables.map((table) => client.command(raw(`SYSTEM START MERGES ${identifier(table)}`), {})));
      await Promise.all([client.close(), bytes.close()]);
    },
  };
}

/** The migrations that these tables have been through. */
export async function appliedMigrations(settings: ClickHouseSettings): Promise<string[]> {
  const client = createClickHouse(settings);
  try {
    return (await client.query('migration_list_applied', {})).map(({ name }) => name).sort();
  } finally {
    await client.close();
  }
}

/** Which of our migrations these tables have not been through, and which they have that we do not know. */
export async function compareMigrations(
  settings: ClickHouseSettings,
): Promise<{ waiting: string[]; unknown: string[] }> {
  const ours = readMigrations().map(({ name }) => name);
  const applied = await appliedMigrations(settings);
  return {
    waiting: ours.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !ours.includes(name)),
  };
}

/** Those of ours up to where a copy was made; a copy of a later version than this one is refused. */
export function migrationsOf(names: readonly string[]) {
  const known = readMigrations();
  const unknown = names.filter((name) => !known.some((migration) => migration.name === name));
  if (unknown.length > 0)
    throw new Error(
      `The backup is of a later version of Tributary: it has ${unknown.join(', ')}. Restore it with that.`,
    );
  return known.filter(({ name }) => names.includes(name));
}

/** Whether there is anything yet that a copy would be mixed with. */
export async function holdsRows(settings: ClickHouseSettings): Promise<boolean> {
  const client = createClickHouse({ ...settings, database: 'system' });
  try {
    const [found] = await client.query(
      raw<{ rows: string }>(
        "SELECT sum(rows) AS rows FROM parts WHERE database = {database:String} AND active AND table != 'schema_migrations'",
      ),
      { database: settings.database },
    );
    return Number(found?.rows ?? 0) > 0;
  } finally {
    await client.close();
  }
}

async function listTables(client: ClickHouse): Promise<string[]> {
  const rows = await client.query(
    raw<{ name: string }>(
      "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND name NOT LIKE 'backup\\\\_%' ORDER BY name",
    ),
    {},
  );
  return rows.map(({ name }) => name).filter((name) => !notCopied.has(name));
}

async function summarize(client: ClickHouse, table: string, partition: string) {
  const [row] = await client.query(
    raw<{ rows: string; hash: string }>(
      `SELECT count() AS rows, toString(sum(cityHash64(*))) AS hash FROM ${table} WHERE _partition_id = {partition:String}`,
    ),
    { partition },
  );
  return { rows: Number(row?.rows ?? 0), hash: row?.hash ?? '0' };
}

const byteClient = (settings: ClickHouseSettings) =>
  createClient({
    url: settings.url,
    database: settings.database,
    ...(settings.username !== undefined && { username: settings.username }),
    ...(settings.password !== undefined && { password: settings.password }),
    application: 'tributary backup',
    request_timeout: copyTimeoutMs,
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: { ...engineSettings({ ...settings, requestTimeoutMs: copyTimeoutMs }), optimize_on_insert: 0 },
  });

function refuseCluster({ cluster }: ClickHouseSettings): void {
  if (cluster)
    throw new Error(
      'Of a ClickHouse cluster every shard is copied by its own BACKUP ... ON CLUSTER; docs/operations/backup.md says how.',
    );
}
