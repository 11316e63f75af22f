import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import pg from 'pg';
import { isContended } from './away.ts';
import { connectionTo } from './servers.ts';

const directory = join(import.meta.dirname, 'migrations');

export interface MigrationFile {
  readonly name: string;
  /**
   * What comes before its transaction, statement by statement: whatever goes through all rows of a table that may be large, in a way that
   * lets others write to it meanwhile. It may be run again, after somebody ended it half-way. From `NAME.alone.sql`.
   */
  readonly alone: string;
  /** What is done in one transaction, whose locks are held to its end. */
  readonly text: string;
}

export function migrationFiles(): MigrationFile[] {
  const files = readdirSync(directory).filter((file) => file.endsWith('.sql'));
  const read = (file: string) => (files.includes(file) ? readFileSync(join(directory, file), 'utf8') : '');
  return files
    .filter((file) => !file.endsWith('.alone.sql'))
    .sort()
    .map((file) => file.replace('.sql', ''))
    .map((name) => ({ name, alone: read(`${name}.alone.sql`), text: read(`${name}.sql`) }));
}

/** Changes whenever any migration does; a template database is named after it. */
export const migrationsFingerprint = (): string =>
  createHash('sha256').update(JSON.stringify(migrationFiles())).digest('hex').slice(0, 12);

/** How long a migration waits for a lock. Whoever comes after it waits behind it, and requests are given up after some seconds. */
const lockTimeoutMs = 1_000;
const pauseMs = 500;
const mostTries = 400;

/**
 * Brings the schema up to date as its owner, while others work. Two at once are safe: the second waits, then finds nothing to do.
 *
 * A transaction for each migration, so that its locks are held for its own statements only (of an empty database nobody waits for any, and
 * all is one). One that does not get a lock within a second steps back, lets those through that waited behind it, and tries again.
 *
 * `upTo`: the last that is run, for a database in the state of an earlier version.
 */
export async function migrate(ownerUrl: string, upTo?: string): Promise<string[]> {
  const files = migrationFiles().filter(({ name }) => upTo === undefined || name <= upTo);
  const pool = new pg.Pool({ ...connectionTo(ownerUrl), max: 2, lock_timeout: lockTimeoutMs });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  const migrator = new Migrator({
    db,
    provider: {
      getMigrations: async () =>
        Object.fromEntries(
          files.map((file) => [
            file.name,
            { up: async (tx) => void (await sql.raw(isEmpty ? allOf(file) : file.text).execute(tx)) },
          ]),
        ),
    },
  });
  let isEmpty = false;
  let turn: pg.Client | undefined;
  const applied: string[] = [];
  try {
    isEmpty = (await migrator.getMigrations()).every(({ executedAt }) => executedAt === undefined);
    // Whoever comes second must not run a migration whose first part the other has not done.
    if (!isEmpty) turn = await takeTurn(ownerUrl);
    for (let tries = 1; ; ) {
      const next = isEmpty ? undefined : await nextOf(migrator, files);
      if (next && turn) for (const statement of statementsOf(next.alone)) await runPatiently(turn, statement);
      const { error, results = [] } = await (isEmpty ? migrator.migrateToLatest() : migrator.migrateUp());
      if (isContended(error) && tries < mostTries) {
        tries += 1;
        await sleep(pauseMs);
        continue;
      }
      const failed = results.find(({ status }) => status === 'Error');
      if (failed)
        throw new Error(`Migration ${failed.migrationName} failed: ${(error as Error).message}`, { cause: error });
      if (error) throw error;
      if (results.length === 0) return applied;
      applied.push(...results.map(({ migrationName }) => migrationName));
      tries = 1;
    }
  } finally {
    await turn?.end();
    await db.destroy();
  }
}

/** A migration as one text, for when nobody else is there. */
export const allOf = ({ alone, text }: MigrationFile): string => `${alone.replaceAll(' CONCURRENTLY', '')}${text}`;

async function nextOf(migrator: Migrator, files: readonly MigrationFile[]): Promise<MigrationFile | undefined> {
  const waiting = (await migrator.getMigrations()).find(({ executedAt }) => executedAt === undefined);
  return files.find(({ name }) => name === waiting?.name);
}

/** Any number of our own, as long as nobody else uses it. */
const turnLock = 7_305_001;

/** One process at a time: the connection holds the turn. */
async function takeTurn(ownerUrl: string): Promise<pg.Client> {
  const client = new pg.Client(connectionTo(ownerUrl));
  // Its query fails by itself; unheard, the event would end the process.
  client.on('error', () => {});
  await client.connect();
  // Nobody waits for it inside of a statement: an index that is made beside others' work waits for all statements that began before.
  for (;;) {
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [turnLock]);
    if (rows[0]?.mine) return client;
    await sleep(pauseMs);
  }
}

const statementsOf = (text: string): string[] =>
  text
    .replace(/--[^\n]*/g, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');

async function runPatiently(client: pg.Client, statement: string): Promise<void> {
  const [, index] = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS (\w+)/.exec(statement) ?? [];
  // It keeps nobody waiting while it waits itself, for as long as the longest transaction beside it.
  await client.query(`SET lock_timeout = ${index ? 0 : lockTimeoutMs}`);
  // What an interrupted one left behind is in the way, and of no use.
  if (index && (await isUnfinished(client, index))) await client.query(`DROP INDEX CONCURRENTLY ${index}`);
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query(statement);
      return;
    } catch (error) {
      if (!isContended(error) || tries === mostTries) throw error;
      await sleep(pauseMs);
    }
  }
}

async function isUnfinished(client: pg.Client, index: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT 1 FROM pg_index WHERE indexrelid = to_regclass('public.' || quote_ident($1)) AND NOT indisvalid`,
    [index],
  );
  return rowCount === 1;
}

/** Which of our migrations a database has not been through, and which it has that we do not know: those of a later version. */
export async function compareMigrations(ownerUrl: string): Promise<{ waiting: string[]; unknown: string[] }> {
  const client = new pg.Client(connectionTo(ownerUrl));
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>('SELECT name FROM kysely_migration ORDER BY name');
    const ours = migrationFiles().map(({ name }) => name);
    const applied = rows.map(({ name }) => name);
    return {
      waiting: ours.filter((name) => !applied.includes(name)),
      unknown: applied.filter((name) => !ours.includes(name)),
    };
  } finally {
    await client.end();
  }
}
