import { loadSettings, type Settings } from '@tributary/config';
import { createPostgres, type Postgres } from '@tributary/postgres';

export interface Ledgers {
  /** Behind the walls, like a request. */
  readonly app: Postgres;
  /** As the owner of the schema: apps, and the lists over all workspaces. */
  readonly operator: Postgres;
  readonly settings: Settings;
  readonly now: Date;
}

export async function withLedgers(work: (ledgers: Ledgers) => Promise<void>): Promise<void> {
  const settings = loadSettings(process.env);
  const app = createPostgres({ url: settings.databaseAppUrl, poolSize: 2 });
  const operator = createPostgres({ url: settings.databaseOwnerUrl, poolSize: 2 });
  try {
    await work({ app, operator, settings, now: new Date() });
  } finally {
    await Promise.all([app.close(), operator.close()]);
  }
}
