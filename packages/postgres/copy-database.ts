import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { pgDump } from './dump.ts';
import { addressForPrograms, connectionTo } from './servers.ts';
import { isContended } from './unavailable.ts';

/** How long `takeCut` waits for writers of the locked tables. Later requests queue up behind it meanwhile. */
const lockTimeoutMs = 1_000;
const pauseMs = 500;
const maxTries = 60;

/** A consistent view of the whole database, open until `close`. */
export interface Cut {
  /** How long the locks blocked the completion of work, in the try that succeeded. */
  readonly heldMs: number;
  readonly takenAt: Date;
  /** Row counts by table in this view. */
  countRows(): Promise<Record<string, number>>;
  /** A dump of this view in pg_dump's custom format. */
  dump(): { readonly bytes: Readable; readonly done: Promise<void> };
  close(): Promise<void>;
}

/**
 * Takes a consistent view of the database while the tables in `queues` are locked against writes, and runs `meanwhile` under that lock.
 * Workers delete a queue row only after they wrote its results to the other stores. So whatever `meanwhile` copies contains the results of
 * all work that is no longer queued.
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
    const heldMs = await whileLocked(owner, names, async () => {
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

async function whileLocked(owner: pg.Client, names: string, act: () => Promise<void>): Promise<number> {
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
      if (!isContended(error) || tries === maxTries) throw error;
      await sleep(pauseMs);
    }
  }
}

/** Restores the output of `dump` as the owner, into a database without tables. */
export async function restoreDump(ownerUrl: string, bytes: Readable): Promise<void> {
  const restore = start(
    'pg_restore',
    ownerUrl,
    ['--no-owner', '--exit-on-error', '--single-transaction'],
    ['pipe', 'ignore'],
  );
  await Promise.all([pipeline(bytes, restore.child.stdin as NodeJS.WritableStream), restore.done]);
}

/** Whether the database already has tables, which a restored dump would mix with. */
export async function hasTables(ownerUrl: string): Promise<boolean> {
  const client = await connect(ownerUrl);
  try {
    return (await listTables(client)).length > 0;
  } finally {
    await client.end();
  }
}

/**
 * Clears stream positions and worker leases, which refer to a stream and to processes that no longer exist. Both are created again on
 * demand. Resolves to the restored row counts by table.
 */
export async function resetRestored(ownerUrl: string): Promise<Record<string, number>> {
  const client = await connect(ownerUrl);
  try {
    // Row-level security also hides the rows from the owner while it is forced. Lifting it is safe because no other process runs yet.
    const tables = await listTables(client);
    const tenantTables = await client.query<{ name: string }>(
      "SELECT oid::regclass::text AS name FROM pg_class WHERE relforcerowsecurity AND relnamespace = 'public'::regnamespace",
    );
    await client.query('BEGIN');
    for (const { name } of tenantTables.rows) await client.query(`ALTER TABLE ${name} NO FORCE ROW LEVEL SECURITY`);
    const counts = await countTables(client, tables);
    await client.query('UPDATE erasure_work SET log_position = NULL');
    await client.query('UPDATE tenant_deletions SET log_position = NULL');
    await client.query('TRUNCATE work_turns');
    for (const { name } of tenantTables.rows) await client.query(`ALTER TABLE ${name} FORCE ROW LEVEL SECURITY`);
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
  [stdin, stdout]: readonly ['ignore' | 'pipe', 'ignore' | 'pipe'],
) {
  // Command lines are visible to every process of the machine, so the password goes through the environment.
  const { address, password } = addressForPrograms(url);
  const child = spawn(join(dirname(pgDump()), program), [...options, `--dbname=${address}`], {
    env: { ...process.env, PGPASSWORD: password },
    stdio: [stdin, stdout, 'pipe'],
  });
  let output = '';
  child.stderr?.on('data', (data: Buffer) => {
    output = (output + data).slice(-2_000);
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
      code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}: ${output.trim()}`)),
    );
  });
  // Prevents an unhandled rejection when the reader of the bytes fails before it awaits `done`.
  done.catch(() => {});
  return { child, done };
}
