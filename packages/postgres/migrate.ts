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

function migrationFiles(): { name: string; text: string }[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: file.replace('.sql', ''), text: readFileSync(join(directory, file), 'utf8') }));
}

/** What a migration of ours does. */
export const migrationText = (name: string): string => readFileSync(join(directory, `${name}.sql`), 'utf8');

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
 * A transaction for each migration, so that its locks are held for its own statements only (of an empty database nobody waits for any). One
 * that does not get a lock within a second steps back, lets those through that waited behind it, and tries again.
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
          files.map(({ name, text }) => [name, { up: async (tx) => void (await sql.raw(text).execute(tx)) }]),
        ),
    },
  });
  const applied: string[] = [];
  try {
    const isEmpty = (await migrator.getMigrations()).every(({ executedAt }) => executedAt === undefined);
    for (let tries = 1; ; ) {
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
    await db.destroy();
  }
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
