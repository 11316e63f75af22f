import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import pg from 'pg';

const directory = join(import.meta.dirname, 'migrations');

function migrationFiles(): { name: string; text: string }[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: file.replace('.sql', ''), text: readFileSync(join(directory, file), 'utf8') }));
}

/** Changes whenever any migration does; a template database is named after it. */
export const migrationsFingerprint = (): string =>
  createHash('sha256').update(JSON.stringify(migrationFiles())).digest('hex').slice(0, 12);

/** Brings the schema up to date as its owner. Two at once are safe: the second waits, then finds nothing to do. */
export async function migrate(ownerUrl: string): Promise<string[]> {
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: ownerUrl, max: 2 }) }),
  });
  const migrator = new Migrator({
    db,
    provider: {
      getMigrations: async () =>
        Object.fromEntries(
          migrationFiles().map(({ name, text }) => [
            name,
            { up: async (tx) => void (await sql.raw(text).execute(tx)) },
          ]),
        ),
    },
  });
  try {
    const { error, results = [] } = await migrator.migrateToLatest();
    const failed = results.find(({ status }) => status === 'Error');
    if (failed)
      throw new Error(`Migration ${failed.migrationName} failed: ${(error as Error).message}`, { cause: error });
    if (error) throw error;
    return results.map(({ migrationName }) => migrationName);
  } finally {
    await db.destroy();
  }
}
