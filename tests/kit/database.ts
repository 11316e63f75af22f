import { createHash, randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate, migrationsFingerprint } from '@tributary/postgres';
import { catalogue, migrateJobs, schedule } from '@tributary/work';
import pg from 'pg';

export interface TestDatabase {
  readonly ownerUrl: string;
  readonly appUrl: string;
  readonly systemUrl: string;
  readonly collectorUrl: string;
  drop(): Promise<void>;
}

export interface DatabaseServer {
  readonly ownerUrl: string;
  readonly appUrl: string;
  readonly systemUrl: string;
  readonly collectorUrl: string;
}

const at = (url: string, database: string) => {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
};

async function asOwner<T>(
  server: Pick<DatabaseServer, 'ownerUrl'>,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: at(server.ownerUrl, 'postgres') });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The name is a hash of everything that defines the template: the migrations and the queues of the job catalogue. */
const templateName = () => {
  const queues = createHash('sha256')
    .update(JSON.stringify([catalogue, schedule]))
    .digest('hex')
    .slice(0, 6);
  return `tributary_template_${migrationsFingerprint()}_${queues}`;
};

/** Migrates one template database that all others are cloned from, once per state of the migrations. */
export async function prepareTemplate(server: DatabaseServer): Promise<void> {
  await asOwner(server, async (client) => {
    // Without the lock, two concurrent test runs would both create the template.
    await client.query('SELECT pg_advisory_lock(4711)');
    const name = templateName();
    const found = await client.query('SELECT datallowconn FROM pg_database WHERE datname = $1', [name]);
    if (found.rows[0]?.datallowconn === false) return;
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${name}`);
    await migrate(at(server.ownerUrl, name));
    await migrateJobs(at(server.ownerUrl, name));
    // PostgreSQL cannot clone a template that has open connections. Refusing connections also marks the template as finished.
    await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  });
}

/** Clones the template into a new migrated database, in about a tenth of a second. */
export async function cloneDatabase(server: DatabaseServer): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asOwner(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${templateName()}`));
  return {
    ownerUrl: at(server.ownerUrl, name),
    appUrl: at(server.appUrl, name),
    systemUrl: at(server.systemUrl, name),
    collectorUrl: at(server.collectorUrl, name),
    drop: () => asOwner(server, (client) => dropDatabase(client, name)),
  };
}

/** Drops a test's database, given its owner's URL. */
export function dropDatabaseAt(ownerUrl: string): Promise<void> {
  return asOwner({ ownerUrl }, (client) => dropDatabase(client, basename(new URL(ownerUrl).pathname)));
}

/** Retries while an administrator connection of the test is still closing: only another administrator could terminate it. */
async function dropDatabase(client: pg.Client, name: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      return;
    } catch (error) {
      if (attempt === 400) throw error;
      await sleep(100);
    }
  }
}
