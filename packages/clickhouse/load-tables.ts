import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createClickHouse } from './client.ts';
import {
  byteClient,
  type CopiedPartition,
  copyTimeoutMs,
  listTables,
  localOf,
  nameOf,
  nodesOf,
  refuseReplicas,
  summarize,
} from './copy-tables.ts';
import { raw } from './queries.ts';
import type { ClickHouseSettings } from './settings.ts';
import { identifier } from './template.ts';

/**
 * Puts copied partitions into tables that were just made, and throws where they are not as they were. Whether of a single node or of a cluster: rows find
 * their shard by themselves, so both may be others than the rows came from.
 */
export async function loadPartitions<Partition extends CopiedPartition>(
  settings: ClickHouseSettings,
  partitions: readonly Partition[],
  read: (partition: Partition) => Readable | Promise<Readable>,
): Promise<void> {
  refuseReplicas(settings);
  const client = createClickHouse({ ...settings, requestTimeoutMs: copyTimeoutMs });
  const bytes = byteClient(settings);
  const nodes = nodesOf(settings).map((node) => createClickHouse({ ...node, requestTimeoutMs: copyTimeoutMs }));
  const onEachNode = (statements: readonly string[]) =>
    Promise.all(nodes.flatMap((node) => statements.map((statement) => node.command(raw(statement), {}))));
  const load = async (partition: Partition) => {
    const query = `INSERT INTO ${identifier(partition.table)} FORMAT Native`;
    const { stream } = await bytes.exec({ query, values: await read(partition) });
    await finished(stream.resume());
  };
  const tables = await listTables(nodes[0] ?? client);
  try {
    // Rows that look the same to a view are merged; merging waits until all are counted.
    await onEachNode(tables.map((table) => `SYSTEM STOP MERGES ${identifier(table)}`));
    const views = await client.query(
      raw<{ query: string }>(
        "SELECT create_table_query AS query FROM system.tables WHERE database = currentDatabase() AND engine = 'MaterializedView'",
      ),
      {},
    );
    /** Tables that a view fills when rows come into another. */
    const filled = new Set(
      views
        .flatMap(({ query }) => / TO (?:\w+\.)?(\w+)/.exec(query)?.[1] ?? [])
        .map((table) => nameOf(table, settings)),
    );
    for (const partition of partitions) if (!filled.has(partition.table)) await load(partition);
    // What views have just made of the rows makes room for what they had made before.
    await onEachNode([...filled].map((table) => `TRUNCATE TABLE ${identifier(localOf(table, settings))}`));
    for (const partition of partitions) if (filled.has(partition.table)) await load(partition);
    for (const [name, shares] of Map.groupBy(partitions, ({ table, partition }) => `${table} ${partition}`)) {
      const wanted = addUp(shares);
      const [one] = shares;
      const found = await summarize(client, identifier(one?.table ?? ''), one?.partition ?? '');
      if (found.rows !== wanted.rows || found.hash !== wanted.hash)
        throw new Error(
          `ClickHouse, ${name} is not as it was: it has ${found.rows} rows with the hash ${found.hash} instead of ${wanted.rows} with ${wanted.hash}.`,
        );
    }
  } finally {
    await onEachNode(tables.map((table) => `SYSTEM START MERGES ${identifier(table)}`));
    await Promise.all([client, bytes, ...nodes].map((each) => each.close()));
  }
}

/** What the nodes of a cluster have of a partition, together. */
const addUp = (shares: readonly CopiedPartition[]) => ({
  rows: shares.reduce((sum, { rows }) => sum + rows, 0),
  hash: String(
    BigInt.asUintN(
      64,
      shares.reduce((sum, { hash }) => sum + BigInt(hash), 0n),
    ),
  ),
});
