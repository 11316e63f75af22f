import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { type ClickHouse, createClickHouse } from './client.ts';
import { readMigrations } from './migrate.ts';
import { connectEveryNode } from './nodes.ts';
import { raw } from './queries.ts';
import { type ClickHouseSettings, engineSettings } from './settings.ts';
import { identifier } from './template.ts';

/** Staging tables of attribution batches, and each node's migration record: a copy does not need them. */
const notCopied = new Set(['schema_migrations', 'attribution_conversions', 'attribution_links', 'attribution_touches']);

/** Long enough for the largest partition. */
export const copyTimeoutMs = 6 * 3_600_000;

export interface CopiedPartition {
  /** The table name that queries use, also where a cluster stores the rows in `_local` tables. */
  readonly table: string;
  /** The index of the cluster node; 0 for a single node. Absent in backups made before clusters were supported. */
  readonly node?: number;
  readonly partition: string;
  /** Unchanged as long as ClickHouse has the same files for the partition. */
  readonly fingerprint: string;
  readonly rows: number;
  /** The hash of all rows, independent of their order. */
  readonly hash: string;
}

export interface TableClones {
  /** Clones every table as it is now, within milliseconds: ClickHouse only hard-links its files. */
  take(): Promise<void>;
  partitions(): Promise<CopiedPartition[]>;
  /** Reads a partition in ClickHouse's Native format. */
  read(partition: CopiedPartition): Promise<Readable>;
  drop(): Promise<void>;
}

/** Creates frozen copies of all tables while the originals are still written, on every node of a cluster. */
export async function cloneTables(settings: ClickHouseSettings): Promise<TableClones> {
  refuseReplicas(settings);
  const prefix = `backup_${randomBytes(4).toString('hex')}_`;
  const nodes = await Promise.all(
    nodesOf(settings).map(async (node) => {
      const client = createClickHouse({ ...node, requestTimeoutMs: copyTimeoutMs });
      const tables = await listTables(client);
      await Promise.all(
        tables.map(async (table) => {
          await client.command(raw(`CREATE TABLE ${identifier(prefix + table)} AS ${identifier(table)}`), {});
          // A merge would change the files and reduce the rows that were counted.
          await client.command(raw(`SYSTEM STOP MERGES ${identifier(prefix + table)}`), {});
        }),
      );
      return { client, bytes: byteClient(node), tables };
    }),
  );
  const onEachTable = (statement: (clone: string, table: string) => string) =>
    Promise.all(
      nodes.flatMap(({ client, tables }) =>
        tables.map((table) => client.command(raw(statement(identifier(prefix + table), identifier(table))), {})),
      ),
    );
  const cloneOf = ({ table }: CopiedPartition) => identifier(prefix + localOf(table, settings));
  return {
    async take() {
      await onEachTable((clone, table) => `ALTER TABLE ${clone} ATTACH PARTITION ALL FROM ${table}`);
    },
    async partitions() {
      const found: CopiedPartition[] = [];
      for (const [node, { client, tables }] of nodes.entries())
        for (const table of tables) {
          const clone = identifier(prefix + table);
          const parts = await client.query(
            raw<{ partition: string; fingerprint: string }>(
              `SELECT partition_id AS partition, lower(hex(sipHash128(arraySort(groupArray(hash_of_all_files))))) AS fingerprint
              FROM system.parts WHERE database = currentDatabase() AND table = '${clone}' AND active
              GROUP BY partition_id ORDER BY partition_id`,
            ),
            {},
          );
          for (const { partition, fingerprint } of parts) {
            const summary = await summarize(client, clone, partition);
            found.push({ table: nameOf(table, settings), node, partition, fingerprint, ...summary });
          }
        }
      return found;
    },
    async read(partition) {
      const node = nodes[partition.node ?? 0];
      if (!node) throw new RangeError(`There is no node ${partition.node}.`);
      const { stream } = await node.bytes.exec({
        query: `SELECT * FROM ${cloneOf(partition)} WHERE _partition_id = {partition:String} FORMAT Native`,
        query_params: { partition: partition.partition },
      });
      return stream;
    },
    async drop() {
      await onEachTable((clone) => `DROP TABLE IF EXISTS ${clone} SYNC`);
      await Promise.all(nodes.flatMap(({ client, bytes }) => [client.close(), bytes.close()]));
    },
  };
}

/** The migrations that have been applied to these tables. */
export async function appliedMigrations(settings: ClickHouseSettings): Promise<string[]> {
  const client = createClickHouse(settings);
  try {
    return (await client.query('migration_list_applied', {})).map(({ name }) => name).sort();
  } finally {
    await client.close();
  }
}

/** Lists our migrations that these tables lack, and applied migrations that this version does not know. */
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

/** Returns the migrations that a copy had. A copy made by a later version is refused. */
export function migrationsOf(names: readonly string[]) {
  const ours = readMigrations();
  const unknown = names.filter((name) => !ours.some((migration) => migration.name === name));
  if (unknown.length > 0)
    throw new Error(
      `The backup is of a later version of Tributary: it has ${unknown.join(', ')}. Restore it with that.`,
    );
  return ours.filter(({ name }) => names.includes(name));
}

/** Whether the database already has rows that a restored copy would be mixed with. */
export async function hasRows(settings: ClickHouseSettings): Promise<boolean> {
  const nodes = connectEveryNode({ ...settings, database: 'system' });
  try {
    const counts = await Promise.all(
      nodes.map(async (node) => {
        const [found] = await node.query(
          raw<{ rows: string }>(
            "SELECT sum(rows) AS rows FROM parts WHERE database = {database:String} AND active AND table NOT LIKE 'schema\\_migrations%'",
          ),
          { database: settings.database },
        );
        return Number(found?.rows ?? 0);
      }),
    );
    return counts.some((rows) => rows > 0);
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
  }
}

/** Tables that store rows, except those that a copy does not need. */
export async function listTables(client: ClickHouse): Promise<string[]> {
  const rows = await client.query(
    raw<{ name: string }>(
      "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND name NOT LIKE 'backup\\\\_%' ORDER BY name",
    ),
    {},
  );
  return rows.map(({ name }) => name).filter((name) => !notCopied.has(name.replace(/_local$/, '')));
}

export async function summarize(client: ClickHouse, table: string, partition: string) {
  const [row] = await client.query(
    raw<{ rows: string; hash: string }>(
      `SELECT count() AS rows, toString(sum(cityHash64(*))) AS hash FROM ${table} WHERE _partition_id = {partition:String}`,
    ),
    { partition },
  );
  return { rows: Number(row?.rows ?? 0), hash: row?.hash ?? '0' };
}

/** A client for rows in ClickHouse's Native format. */
export const byteClient = (settings: ClickHouseSettings) =>
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

/** The settings of each node, for access to the tables that store its rows. */
export const nodesOf = ({ cluster, ...settings }: ClickHouseSettings): ClickHouseSettings[] =>
  (cluster?.nodes ?? [settings.url]).map((url) => ({ ...settings, url }));

export const localOf = (table: string, { cluster }: ClickHouseSettings): string => (cluster ? `${table}_local` : table);
export const nameOf = (local: string, { cluster }: ClickHouseSettings): string =>
  cluster ? local.replace(/_local$/, '') : local;

export function refuseReplicas({ cluster }: ClickHouseSettings): void {
  if (cluster?.replicated)
    throw new Error(
      'A ClickHouse cluster with replicas is copied by its own BACKUP ... ON CLUSTER; docs/operations/backup.md says how.',
    );
}
