import pg from 'pg';
import { allOf, compareMigrations, migrationFiles } from './migrate.ts';
import { connectionTo } from './servers.ts';

export interface PlannedTable {
  readonly table: string;
  readonly rows: number;
  readonly bytes: number;
  /** How many statements of the migrations scan or rewrite the whole table. */
  readonly times: number;
}

export interface UpgradePlan {
  readonly waiting: string[];
  readonly unknown: string[];
  /** Existing tables that migrations scan or rewrite, largest first. */
  readonly tables: readonly PlannedTable[];
  /** Estimated duration. */
  readonly seconds: number;
}

/** Conservative assumptions: the speed of a full table scan, and the fixed cost per migration. */
const bytesPerSecond = 40e6;
const secondsEach = 0.1;

/** Statements that process all rows of the named table. Adding a column does not, unless its default is computed. */
const throughAll = [
  /\bCREATE\s+(?:UNIQUE\s+)?INDEX\s+(?:CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?\w*\s*ON\s+(?:ONLY\s+)?(\w+)/gi,
  /\bUPDATE\s+(?:ONLY\s+)?(\w+)(?:\s+(?:AS\s+)?\w+)?\s+SET\b/gi,
  /\bDELETE\s+FROM\s+(\w+)/gi,
  /\bINSERT\s+INTO\s+\w+[^;]*?\bFROM\s+(\w+)/gi,
  /\bALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?(\w+)\s+(?:VALIDATE|ALTER\s+(?:COLUMN\s+)?\w+\s+(?:TYPE|SET\s+NOT\s+NULL)|ADD\s+(?:CONSTRAINT\s+\w+\s+)?(?:PRIMARY|UNIQUE|CHECK|FOREIGN)(?![^;]*NOT\s+VALID))/gi,
  /\bALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?(\w+)\s[^;]*?\bADD\s+COLUMN\s[^;]*?\bCHECK\b(?![^;]*NOT\s+VALID)/gi,
];

/** The tables that a migration scans or rewrites, once per statement. Function bodies are skipped because they are only defined. */
export function tablesIn(text: string): string[] {
  const done = text
    .replace(/--[^\n]*/g, '')
    .replace(/\bAS\s+\$(\w*)\$.*?\$\1\$/gis, '')
    // A key that uses an existing index does not scan the table again.
    .replace(/\bALTER TABLE [^;]*\bUSING INDEX\b[^;]*;/gi, '');
  return throughAll.flatMap((statement) => [...done.matchAll(statement)].map(([, table = '']) => table.toLowerCase()));
}

/** What `migrate` would do, without doing it. */
export async function planUpgrade(ownerUrl: string): Promise<UpgradePlan> {
  const { waiting, unknown } = await compareMigrations(ownerUrl);
  const named = Map.groupBy(
    migrationFiles()
      .filter(({ name }) => waiting.includes(name))
      .flatMap((file) => tablesIn(allOf(file))),
    (table) => table,
  );
  const client = new pg.Client(connectionTo(ownerUrl));
  await client.connect();
  try {
    const { rows } = await client.query<{ table: string; rows: string; bytes: string }>(
      `SELECT relname AS table, greatest(reltuples, 0)::bigint AS rows, pg_table_size(oid) AS bytes FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname = ANY ($1) ORDER BY bytes DESC`,
      [[...named.keys()]],
    );
    const tables = rows.map(({ table, ...size }) => ({
      table,
      rows: Number(size.rows),
      bytes: Number(size.bytes),
      times: named.get(table)?.length ?? 0,
    }));
    const bytes = tables.reduce((sum, one) => sum + one.bytes * one.times, 0);
    return { waiting, unknown, tables, seconds: Math.ceil(waiting.length * secondsEach + bytes / bytesPerSecond) };
  } finally {
    await client.end();
  }
}
