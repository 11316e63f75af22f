import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as clickhouse from '@tributary/clickhouse/owners.ts';
import * as postgres from '@tributary/postgres/tables.ts';
import { tablesIn } from './tables-in.ts';

/** Tables, whose they are, and who may use another's. */
export interface Walls {
  readonly owners: Readonly<Record<string, string>>;
  readonly guests: readonly { readonly who: string; readonly tables: readonly string[]; readonly reason: string }[];
}

export const walls: Walls = {
  owners: { ...clickhouse.tableOwners, ...postgres.tableOwners },
  guests: [...postgres.guests, ...clickhouse.guests],
};

/** Files of apps that ask an engine themselves; all others leave that to rooms. */
const appsWithSql: Readonly<Record<string, string>> = {
  'apps/cli/doctor/postgres.ts': 'asks the engines how they are, and no table of ours',
  'apps/cli/demo/fill-fast.ts': 'makes the demo of millions of rows, which would take hours through the rooms',
  'apps/cli/demo/fill-delivery.ts': 'the same',
  'apps/cli/demo/fill-visits.ts': 'the same',
  'apps/cli/demo/history.ts': 'dates results of the demo back to when they happened',
  'apps/cli/demo/ledger-rows.ts': 'the same',
  'apps/worker/figures.ts': 'counts what waits in the queues of several rooms',
};

const isTest = /\.(test|fixture|drill|bench)\.tsx?$/;

/** What stands where it should not, a line each, and how many uses of tables were seen. */
export function breaches(root: string, { owners, guests }: Walls = walls): { lines: string[]; uses: number } {
  const queries = queriesOf(root);
  const used = new Set<string>();
  const lines: string[] = [];
  for (const file of sources(root)) {
    const text = readFileSync(join(root, file), 'utf8');
    const who = whoHas(file);
    const tables = [...tablesUsed(text, queries)].filter((name) => name in owners);
    if (file.startsWith('apps/')) {
      if (!(file in appsWithSql) && (tables.length > 0 || /from 'kysely'/.test(text)))
        lines.push(`${file} holds SQL: apps leave that to rooms.`);
      continue;
    }
    for (const table of tables) {
      used.add(`${who} ${table}`);
      if (owners[table] !== who && !guests.some((guest) => guest.who === who && guest.tables.includes(table)))
        lines.push(`${file} uses ${table} of ${owners[table]}: ask there, or say in tables.ts why that cannot be.`);
    }
  }
  const isUnused = (who: string, table: string) => !used.has(`${who} ${table}`);
  for (const { who, tables } of guests)
    for (const table of tables.filter((name) => isUnused(who, name)))
      lines.push(`${who} does not use ${table} any more, and need not be listed as a guest.`);
  for (const owner of new Set(Object.values(owners)))
    if (!existsSync(join(root, pathOf(owner)))) lines.push(`${owner} owns tables and is not there.`);
  for (const table of tablesOfClickHouse(root))
    if (!(table in owners)) lines.push(`${table} of ClickHouse has no owner in packages/clickhouse/owners.ts.`);
  return { lines, uses: used.size };
}

/** The packages that are the stores know all tables; what they do with them is no room's business. */
const sources = (root: string): string[] =>
  globSync('{domain,apps,packages}/**/*.{ts,tsx,sql}', { cwd: root })
    .filter(
      (file) => !/(^|\/)(node_modules|dist)\/|^packages\/(postgres|clickhouse)\//.test(file) && !isTest.test(file),
    )
    .sort();

const whoHas = (file: string): string => {
  const [top, name = ''] = file.split('/');
  return top === 'domain' ? name : `${top}/${name}`;
};

const pathOf = (owner: string): string => (owner.includes('/') ? owner : `domain/${owner}`);

/** A query of ClickHouse is named in the room and written in packages/clickhouse: the room uses what the query does. */
function tablesUsed(text: string, queries: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const used = tablesIn(text);
  for (const [, name = ''] of text.matchAll(/'([a-z]\w*)'/g))
    for (const table of queries.get(name) ?? []) used.add(table);
  return used;
}

function queriesOf(root: string): Map<string, Set<string>> {
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

function tablesOfClickHouse(root: string): string[] {
  const schema = readFileSync(join(root, 'packages/clickhouse/schema.sql'), 'utf8');
  return [...schema.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name = '']) => name);
}
