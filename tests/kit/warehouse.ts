import { type ClickHouse, connectEveryNode, createClickHouse, migrate, raw } from '@tributary/clickhouse';
import type { Testkit } from './testkit.ts';

/** Creates the test's own ClickHouse database, for tests that need one. */
export async function openWarehouse(
  kit: Pick<Testkit, 'clickhouse' | 'clickhouseDatabase'>,
): Promise<{ readonly client: ClickHouse; drop(): Promise<void> }> {
  const settings = { ...kit.clickhouse, database: kit.clickhouseDatabase };
  await migrate(settings);
  const client = createClickHouse(settings);
  return {
    client,
    async drop() {
      await client.close();
      for (const node of connectEveryNode(settings)) {
        await node.command(raw(`DROP DATABASE ${settings.database} SYNC`), {});
        await node.close();
      }
    },
  };
}
