import { randomBytes } from 'node:crypto';
import { type ClickHouse, createClickHouse } from './client.ts';
import { migrate } from './migrate.ts';
import { raw } from './queries.ts';
import type { ClickHouseSettings } from './settings.ts';

export interface Scratch {
  readonly settings: ClickHouseSettings;
  readonly client: ClickHouse;
  drop(): Promise<void>;
}

/** Creates a database at CLICKHOUSE_URL for a test file or a dump. The caller drops it. */
export async function createScratch(more: Partial<ClickHouseSettings> = {}): Promise<Scratch> {
  const settings: ClickHouseSettings = {
    url: process.env.CLICKHOUSE_URL || 'http://127.0.0.1:18123',
    database: `test_${randomBytes(6).toString('hex')}`,
    ...more,
  };
  await migrate(settings);
  const client = createClickHouse(settings);
  return {
    settings,
    client,
    async drop() {
      await client.command(raw(`DROP DATABASE ${settings.database} SYNC`), {});
      await client.close();
    },
  };
}
