import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@tributary/clock';
import { type ClickHouse, createClickHouse } from './client.ts';
import { connectEveryNode } from './nodes.ts';
import { raw } from './queries.ts';
import { type ClickHouseSettings, hostOf } from './settings.ts';
import { identifier, statements } from './template.ts';

export interface Migration {
  /** The file name without its extension, NNNN_name. */
  readonly name: string;
  readonly sql: string;
}

export interface MigrateOptions {
  readonly migrations?: readonly Migration[];
  /** Receives one line for each migration on each node. */
  readonly say?: (line: string) => void;
}

export interface MigrationReport {
  /** Migrations that at least one node did not have yet, in order. */
  readonly applied: readonly string[];
}

/**
 * Applies pending migrations to every node. ClickHouse has no locks and no transactional DDL. So each statement is
 * safe to run again, a migration is recorded only when all of its statements have run, and two concurrent runs end
 * the same. Each node keeps its own record: a node that joins later catches up, and an interrupted run continues.
 */
export async function migrate(
  settings: ClickHouseSettings,
  { migrations = readMigrations(), say = () => {} }: MigrateOptions = {},
): Promise<MigrationReport> {
  const applied = new Set<string>();
  const nodes = connectEveryNode(settings);
  try {
    const pending = new Map<ClickHouse, ReadonlySet<string>>();
    // Check all nodes before changing any.
    for (const node of nodes) pending.set(node, await findPending(node, migrations));
    // Migration by migration, not node by node: an interrupted run leaves the nodes at most one migration apart.
    for (const migration of migrations) {
      for (const node of nodes) {
        if (!pending.get(node)?.has(migration.name)) continue;
        await apply(node, migration);
        applied.add(migration.name);
        say(`${hostOf(node.settings.url)}: applied ${migration.name}`);
      }
    }
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
  }
  return { applied: [...applied] };
}

/** Reads the migrations of a folder in order. */
export function readMigrations(folder = join(import.meta.dirname, 'migrations')): Migration[] {
  const migrations = readdirSync(folder)
    .sort()
    .map((file) => {
      const name = /^(\d{4}_[a-z0-9_]+)\.sql$/.exec(file)?.[1];
      if (!name) throw new Error(`${file} in ${folder} should be called like 0002_add_something.sql.`);
      return { name, sql: readFileSync(join(folder, file), 'utf8') };
    });
  for (const [index, { name }] of migrations.entries()) {
    const next = migrations[index + 1]?.name;
    if (next?.slice(0, 4) === name.slice(0, 4)) {
      throw new Error(
        `${name} and ${next} have the same number; give the one that is not released yet the next free one.`,
      );
    }
  }
  return migrations;
}

async function findPending(node: ClickHouse, migrations: readonly Migration[]): Promise<ReadonlySet<string>> {
  await createDatabase(node.settings);
  await node.command(raw(createRecordTable), {});
  const records = await node.query('migration_list_applied', {});
  const checksums = new Map(records.map(({ name, checksum }) => [name, checksum]));
  for (const migration of migrations) {
    const recorded = checksums.get(migration.name);
    if (recorded !== undefined && recorded !== checksumOf(migration)) throw changed(node, migration);
  }
  if (checksums.size > 0) await assertShape(node);
  return new Set(migrations.filter(({ name }) => !checksums.has(name)).map(({ name }) => name));
}

/** Never replicated: each node records the migrations applied to itself. */
const createRecordTable = `
  CREATE TABLE IF NOT EXISTS schema_migrations (name String, checksum String, applied_at DateTime64(3, 'UTC'))
  ENGINE = ReplacingMergeTree ORDER BY name`;

async function createDatabase(settings: ClickHouseSettings): Promise<void> {
  // A client cannot connect to a database that does not exist yet, so this one uses a database that always exists.
  const client = createClickHouse({ ...settings, database: 'system' });
  try {
    await client.command(raw(`CREATE DATABASE IF NOT EXISTS ${identifier(settings.database)}`), {});
  } finally {
    await client.close();
  }
}

async function apply(node: ClickHouse, migration: Migration): Promise<void> {
  for (const statement of statements(migration.sql, node.settings)) await node.command(raw(statement), {});
  const { clock = systemClock } = node.settings;
  await node.insert('schema_migrations', [
    { name: migration.name, checksum: checksumOf(migration), applied_at: clock.now() },
  ]);
}

/** Hashes the text before the templates are expanded, so that it is the same for a single node and a cluster. */
function checksumOf({ sql }: Migration): string {
  return createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex');
}

function changed(node: ClickHouse, { name }: Migration): Error {
  return new Error(
    `Migration ${name} is already applied on ${hostOf(node.settings.url)}, but its file has changed since. Put the file back as it ` +
      'was released and write what you want to change as a new migration. Nothing was touched.',
  );
}

/** Without this check, IF NOT EXISTS would accept single-node tables on a cluster, and the reverse. */
async function assertShape(node: ClickHouse): Promise<void> {
  const { settings } = node;
  const tables = await node.query('table_list', {});
  const isCluster = tables.some(({ engine }) => engine === 'Distributed');
  if (isCluster === (settings.cluster !== undefined)) return;
  const [made, wanted] = isCluster
    ? ['a cluster', 'no cluster']
    : ['a single node', `the cluster "${settings.cluster?.name}"`];
  throw new Error(
    `The database "${settings.database}" on ${hostOf(settings.url)} was made for ${made}, and the settings name ${wanted}. ` +
      'packages/clickhouse/README.md says how to go from one to the other. Nothing was touched.',
  );
}
