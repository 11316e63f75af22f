import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import pg from 'pg';
import { connectionTo } from './servers.ts';
import { isContended } from './unavailable.ts';

const directory = join(import.meta.dirname, 'migrations');

export interface MigrationFile {
  readonly name: string;
  /**
   * Statements that run one by one before the transaction, from `NAME.alone.sql`. They process all rows of a table that may be large,
   * without blocking writers. They must be repeatable because a run can be interrupted.
   */
  readonly alone: string;
  /** Statements that run in one transaction, which holds its locks until it ends. */
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

/** Changes whenever a migration does. Template databases are named after it. */
export const migrationsFingerprint = (): string =>
  createHash('sha256').update(JSON.stringify(migrationFiles())).digest('hex').slice(0, 12);

/** How long a migration waits for a lock. Requests queue up behind it meanwhile, and they time out after some seconds. */
const lockTimeoutMs = 1_000;
const pauseMs = 500;
const maxTries = 400;

/**
 * Migrates the schema as its owner while other processes use it. Two concurrent runs are safe: the second one waits, then finds nothing to
 * do.
 *
 * Each migration has its own transaction, so that it holds locks only for its own statements. An empty database has no other users and gets
 * a single transaction. A migration that does not get a lock within a second rolls back, lets the queued requests through, and tries again.
 *
 * `upTo`: the last migration to run, for a database in the state of an earlier version.
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
  let lockHolder: pg.Client | undefined;
  const applied: string[] = [];
  try {
    isEmpty = (await migrator.getMigrations()).every(({ executedAt }) => executedAt === undefined);
    // A concurrent run must not start a migration's transaction before its `alone` statements are done.
    if (!isEmpty) lockHolder = await acquireMigrationLock(ownerUrl);
    for (let tries = 1; ; ) {
      const next = isEmpty ? undefined : await findNext(migrator, files);
      if (next && lockHolder)
        for (const statement of splitStatements(next.alone)) await runWithRetries(lockHolder, statement);
      const { error, results = [] } = await (isEmpty ? migrator.migrateToLatest() : migrator.migrateUp());
      if (isContended(error) && tries < maxTries) {
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
    await lockHolder?.end();
    await db.destroy();
  }
}

/** A migration as one text, for a database that has no other users. */
export const allOf = ({ alone, text }: MigrationFile): string => `${alone.replaceAll(' CONCURRENTLY', '')}${text}`;

async function findNext(migrator: Migrator, files: readonly MigrationFile[]): Promise<MigrationFile | undefined> {
  const waiting = (await migrator.getMigrations()).find(({ executedAt }) => executedAt === undefined);
  return files.find(({ name }) => name === waiting?.name);
}

/** An arbitrary advisory lock number that nothing else uses. */
const migrationLock = 7_305_001;

/** Allows one migrating process at a time: the connection holds the lock. */
async function acquireMigrationLock(ownerUrl: string): Promise<pg.Client> {
  const client = new pg.Client(connectionTo(ownerUrl));
  // A broken connection makes its query reject; without a listener the event would end the process.
  client.on('error', () => {});
  await client.connect();
  // Polls instead of waiting inside a statement: CREATE INDEX CONCURRENTLY waits for all statements that began earlier.
  for (;;) {
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [migrationLock]);
    if (rows[0]?.mine) return client;
    await sleep(pauseMs);
  }
}

const splitStatements = (text: string): string[] =>
  text
    .replace(/--[^\n]*/g, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');

async function runWithRetries(client: pg.Client, statement: string): Promise<void> {
  const [, index] = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS (\w+)/.exec(statement) ?? [];
  // CREATE INDEX CONCURRENTLY blocks no writers while it waits, and it may wait as long as the longest concurrent transaction.
  await client.query(`SET lock_timeout = ${index ? 0 : lockTimeoutMs}`);
  // An interrupted run leaves an invalid index that is of no use and blocks its name.
  if (index && (await isUnfinished(client, index))) await client.query(`DROP INDEX CONCURRENTLY ${index}`);
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query(statement);
      return;
    } catch (error) {
      if (!isContended(error) || tries === maxTries) throw error;
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

/** Lists the migrations that a database still needs (`waiting`), and those of a later version that this build does not have (`unknown`). */
export async function compareMigrations(ownerUrl: string): Promise<{ waiting: string[]; unknown: string[] }> {
  const client = new pg.Client(connectionTo(ownerUrl));
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>('SELECT name FROM kysely_migration ORDER BY name');
    const names = migrationFiles().map(({ name }) => name);
    const applied = rows.map(({ name }) => name);
    return {
      waiting: names.filter((name) => !applied.includes(name)),
      unknown: applied.filter((name) => !names.includes(name)),
    };
  } finally {
    await client.end();
  }
}
