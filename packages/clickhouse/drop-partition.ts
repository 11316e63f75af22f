import type { ClickHouse } from './client.ts';
import { connectEveryNode } from './nodes.ts';
import { raw } from './queries.ts';

/** Staging tables with one partition per batch, which is dropped when the batch is done. */
type BatchTable = 'attribution_conversions' | 'attribution_links' | 'attribution_touches' | 'attribution_results';

/**
 * Drops the partition on every node. DROP PARTITION takes no query parameters, so the value is checked to be an id or
 * a number.
 */
export async function dropPartition(client: ClickHouse, table: BatchTable, partition: string): Promise<void> {
  if (!/^(?:\d+|[0-9a-f-]{36})$/.test(partition)) throw new TypeError(`"${partition}" does not name a partition.`);
  const drop = (node: ClickHouse) =>
    node.command(raw(`ALTER TABLE {{local ${table}}} DROP PARTITION '${partition}'`), {});
  if (!client.settings.cluster) return drop(client);
  const nodes = connectEveryNode(client.settings);
  try {
    await Promise.all(nodes.map(drop));
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
  }
}
