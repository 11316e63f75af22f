import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as clickhouse from '@tributary/clickhouse/owners.ts';
import * as postgres from '@tributary/postgres/tables.ts';
import { tablesIn } from './tables-in.ts';

/** The owner of each table, and the modules that may use tables of another owner. */
export interface TableOwnership {
  readonly owners: Readonly<Record<string, string>>;
  readonly exceptions: readonly {
    readonly module: string;
    readonly tables: readonly string[];
    readonly reason: string;
  }[];
}

export const tableOwnership: TableOwnership = {
  owners: { ...clickhouse.tableOwners, ...postgres.tableOwners },
  exceptions: [...postgres.tableExceptions, ...clickhouse.tableExceptions],
};

/** The only files of apps that contain SQL, with the reason. */
const appsWithSql: Readonly<Record<string, string>> = {
  'apps/cli/doctor/postgres.ts': 'reads system tables of the engines, not our tables',
  'apps/cli/demo/fill-fast.ts': 'creates a demo of millions of rows, which would take hours through the modules',
  'apps/cli/demo/fill-delivery.ts': 'the same',
  'apps/cli/demo/fill-visits.ts': 'the same',
  'apps/cli/demo/history.ts': 'dates results of the demo back to when they happened',
  'apps/cli/demo/ledger-rows.ts': 'the same',
  'apps/worker/figures.ts': 'counts the waiting rows of the queues of several modules',
};

const isTest = /\.(test|fixture|drill|bench)\.tsx?$/;

/** The uses of tables by other modules than their owner, one line each, and the number of uses checked. */
export function findViolations(
  root: string,
  { owners, exceptions }: TableOwnership = tableOwnership,
): { lines: string[]; uses: number } {
  const queries = readQueries(root);
  const used = new Set<string>();
  const lines: string[] = [];
  for (const file of listSources(root)) {
    const text = readFileSync(join(root, file), 'utf8');
    const module = moduleOf(file);
    const tables = [...tablesUsed(text, queries)].filter((name) => name in owners);
    if (file.startsWith('apps/')) {
      if (!(file in appsWithSql) && (tables.length > 0 || /from 'kysely'/.test(text)))
        lines.push(`${file} contains SQL: apps call modules instead.`);
      continue;
    }
    for (const table of tables) {
      used.add(`${module} ${table}`);
      if (owners[table] !== module && !exceptions.some((one) => one.module === module && one.tables.includes(table)))
        lines.push(`${file} uses ${table} of ${owners[table]}: call the owner, or add an exception to tables.ts.`);
    }
  }
  for (const { module, tables } of exceptions)
    for (const table of tables)
      if (!used.has(`${module} ${table}`)) lines.push(`${module} does not use ${table}: remove the exception.`);
  for (const owner of new Set(Object.values(owners)))
    if (!hasFolder(root, owner)) lines.push(`${owner} owns tables but does not exist.`);
  for (const table of listClickHouseTables(root))
    if (!(table in owners)) lines.push(`${table} of ClickHouse has no owner in packages/clickhouse/owners.ts.`);
  return { lines, uses: used.size };
}

/** Without the packages of the two stores, which may use all tables. */
const listSources = (root: string): string[] =>
  globSync('{domain,apps,packages}/**/*.{ts,tsx,sql}', { cwd: root })
    .filter(
      (file) => !/(^|\/)(node_modules|dist)\/|^packages\/(postgres|clickhouse)\//.test(file) && !isTest.test(file),
    )
    .sort();

const moduleOf = (file: string): string => {
  const [top, first = '', second = ''] = file.split('/');
  return top === 'domain' ? second : `${top}/${first}`;
};

/** Modules are in a group's folder: domain/<group>/<module>. */
const hasFolder = (root: string, owner: string): boolean =>
  owner.includes('/') ? existsSync(join(root, owner)) : globSync(`domain/*/${owner}/`, { cwd: root }).length > 0;

/** Includes the tables of ClickHouse queries, which a module uses by name. */
function tablesUsed(text: string, queries: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const used = tablesIn(text);
  for (const [, name = ''] of text.matchAll(/'([a-z]\w*)'/g))
    for (const table of queries.get(name) ?? []) used.add(table);
  return used;
}

function readQueries(root: string): Map<string, Set<string>> {
  const folder = join(root, 'packages/clickhouse');
  const read = (path: string): string =>
    readFileSync(path, 'utf8').replaceAll(/\{\{part (\w+)( by [^}]+)?\}\}/g, (_, part: string, choice?: string) =>
      globSync(join(folder, 'parts', choice ? `${part}_*.sql` : `${part}.sql`))
        .map(read)
        .join('\n'),
    );
  return new Map(
    globSync('queries/*.sql', { cwd: folder }).map((file) => [
      file.replace(/^.*\/|\.sql$/g, ''),
      tablesIn(read(join(folder, file))),
    ]),
  );
}

function listClickHouseTables(root: string): string[] {
  const schema = readFileSync(join(root, 'packages/clickhouse/schema.sql'), 'utf8');
  return [...schema.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name = '']) => name);
}
