import type { ClickHouse } from './client.ts';
import { raw } from './queries.ts';

/** Tables whose partitions are batches: done with, they go at once. On a cluster the other nodes' rest goes by its TTL. */
type BatchTable = 'attribution_conversions' | 'attribution_links' | 'attribution_touches' | 'attribution_results';

/** A partition is named in the statement itself, which takes no parameters there: an id or a number, and nothing else. */
export async function dropPartition(client: ClickHouse, table: BatchTable, partition: string): Promise<void> {
  if (!/^(?:\d+|[0-9a-f-]{36})$/.test(partition)) throw new TypeError(`"${partition}" does not name a partition.`);
  await client.command(raw(`ALTER TABLE {{local ${table}}} DROP PARTITION '${partition}'`), {});
}
