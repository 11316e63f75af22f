import { type ClickHouse, createClickHouse, migrate, raw } from '@tributary/clickhouse';
import type { Testkit } from './testkit.ts';

/** Makes the test's own ClickHouse database, which only those need that read or write columns. */
export async function openWarehouse(
  kit: Pick<Testkit, 'clickhouseUrl' | 'clickhouseDatabase'>,
): Promise<{ readonly client: ClickHouse; drop(): Promise<void> }> {
  const settings = { url: kit.clickhouseUrl, database: kit.clickhouseDatabase };
  await migrate(settings);
  const client = createClickHouse(settings);
  return {
    client,
    async drop() {
      await client.command(raw(`DROP DATABASE ${settings.database} SYNC`), {});
      await client.close();
    },
  };
}
