import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isContended } from './away.ts';
import { pgDump } from './dump.ts';
import { addressForPrograms, connectionTo } from './servers.ts';

/** How long the cut waits for the tables' writers. Whoever comes after it waits behind it. */
const lockTimeoutMs = 1_000;
const pauseMs = 500;
const mostTries = 60;

/** The whole database at one moment, held open until it is closed. */
export interface Cut {
  /** How long nobody could say that work was done, at the last try. */
  readonly heldMs: number;
  readonly takenAt: Date;
  /** Rows by table, in this moment. */
  countRows(): Promise<Record<string, number>>;
  /** pg_dump's own format, of this moment. */
  dump(): { readonly bytes: Readable; readonly done: Promise<void> };
  close(): Promise<void>;
}

/**
 * Takes the database at a moment in which nobody may add to or take from `queues`, and does `meanwhile` in it. Work is taken from its queue
 * after its results are in the other stores; so whatever is copied meanwhile holds the results of all that is no longer queued.
 */
export async function takeCut(
  urls: { readonly owner: string; readonly backup: string },
  queues: readonly string[],
  meanwhile: () => Promise<void>,
): Promise<Cut> {
  const owner = await connect(urls.owner);
  const reader = await connect(urls.backup);
  const names = queues.map((table) => pg.escapeIdentifier(table)).join(', ');
  try {
    const heldMs = await holding(owner, names, async () => {
      await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await reader.query('SELECT count(*) FROM pg_class');
      await meanwhile();
    });
    const { rows } = await reader.query<{ snapshot: string; taken_at: Date }>(
      'SELECT pg_export_snapshot() AS snapshot, now() AS taken_at',
    );
    const { snapshot = '', taken_at: takenAt = new Date() } = rows[0] ?? {};
    return {
      heldMs,
      takenAt,
      countRows: () => countRows(reader),
      dump: () => dumpAt(urls.backup, snapshot),
      close: () => reader.end(),
    };
  } catch (error) {
    await reader.end();
    throw error;
  } finally {
    await owner.end();
  }
}

async function holding(owner: pg.Client, names: string, act: () => Promise<void>): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    try {
      await owner.query('BEGIN');
      await owner.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
      const startedAt = performance.now();
      await owner.query(`LOCK TABLE ${names} IN SHARE MODE`);
      await act();
      await owner.query('COMMIT');
      return Math.round(performance.now() - startedAt);
    } catch (error) {
      await owner.query('ROLLBACK').catch(() => {});
      if (!isContended(error) || tries === mostTries) throw error;
      await sleep(pauseMs);
    }
  }
}

/** Restores what `dump` gave, as the owner, into a database without tables. */
export async function restoreDump(ownerUrl: string, bytes: Readable): Promise<void> {
  const restore = start(
    'pg_restore',
    ownerUrl,
    ['--no-owner', '--exit-on-error', '--single-transaction'],
    ['pipe', 'ignore'],
  );
  await Promise.all([pipeline(bytes, restore.child.stdin as NodeJS.WritableStream), restore.done]);
}

/** Whether there are tables yet that a dump would be mixed with. */
export async function hasTables(ownerUrl: string): Promise<boolean> {
  const client = await connect(ownerUrl);
  try {
    return (await listTables(client)).length > 0;
  } finally {
    await client.end();
  }
}

/**
 * Places in a log that is gone, and turns of workers that are gone, mean nothing any more: both are found anew. Resolves to the rows by
 * table that are there now.
 */
export async function settleRestored(ownerUrl: string): Promise<Record<string, number>> {
  const client = await connect(ownerUrl);
  try {
    // Of these the owner sees nothing, either, unless the walls are opened; nobody else is here yet.
    const tables = await listTables(client);
    const walled = await client.query<{ name: string }>(
      "SELECT oid::regclass::text AS name FROM pg_class WHERE relforcerowsecurity AND relnamespace = 'public'::regnamespace",
    );
    await client.query('BEGIN');
    for (const { name } of walled.rows) await client.query(`ALTER TABLE ${name} NO FORCE ROW LEVEL SECURITY`);
    const counts = await countTables(client, tables);
    await client.query('UPDATE erasure_work SET log_position = NULL');
    await client.query('UPDATE tenant_deletions SET log_position = NULL');
    await client.query('TRUNCATE work_turns');
    for (const { name } of walled.rows) await client.query(`ALTER TABLE ${name} FORCE ROW LEVEL SECURITY`);
    await client.query('COMMIT');
    return counts;
  } finally {
    await client.end();
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ ...connectionTo(url), application_name: 'tributary backup' });
  client.on('error', () => {});
  await client.connect();
  return client;
}

const countRows = async (client: pg.Client) => countTables(client, await listTables(client));

async function countTables(client: pg.Client, tables: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const { rows } = await client.query<{ n: string }>(`SELECT count(*) AS n FROM ${table}`);
    counts[table] = Number(rows[0]?.n);
  }
  return counts;
}

async function listTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY name`,
  );
  return rows.map(({ name }) => name);
}

function dumpAt(url: string, snapshot: string) {
  const { child, done } = start(
    'pg_dump',
    url,
    ['--format=custom', '--compress=0', '--no-owner', `--snapshot=${snapshot}`],
    ['ignore', 'pipe'],
  );
  return { bytes: child.stdout as Readable, done };
}

function start(
  program: 'pg_dump' | 'pg_restore',
  url: string,
  options: readonly string[],
  [input, output]: readonly ['ignore' | 'pipe', 'ignore' | 'pipe'],
) {
  // A command line can be read by every process of the machine.
  const { address, password } = addressForPrograms(url);
  const child = spawn(join(dirname(pgDump()), program), [...options, `--dbname=${address}`], {
    env: { ...process.env, PGPASSWORD: password },
    stdio: [input, output, 'pipe'],
  });
  let words = '';
  child.stderr?.on('data', (data: Buffer) => {
    words = (words + data).slice(-2_000);
  });
  const done = new Promise<void>((resolve, reject) => {
    child.once('error', (error) =>
      reject(
        new Error(
          `${program} cannot be run: ${error.message}. Install PostgreSQL's client programs, of the server's version or newer.`,
        ),
      ),
    );
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}: ${words.trim()}`)),
    );
  });
  // Whoever reads the bytes may fail first; then nobody waits for this.
  done.catch(() => {});
  return { child, done };
}
