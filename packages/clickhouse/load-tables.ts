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
 * Loads copied partitions into newly created tables, and throws when the result differs from the copy. Works for a
 * single node and a cluster: inserts route rows to their shard, so the target may differ from the source.
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
    // A merge would fold rows that a materialized view produced twice; it must wait until all rows are counted.
    await onEachNode(tables.map((table) => `SYSTEM STOP MERGES ${identifier(table)}`));
    const views = await client.query(
      raw<{ query: string }>(
        "SELECT create_table_query AS query FROM system.tables WHERE database = currentDatabase() AND engine = 'MaterializedView'",
      ),
      {},
    );
    /** Tables that a materialized view fills when rows are inserted into another table. */
    const filled = new Set(
      views
        .flatMap(({ query }) => / TO (?:\w+\.)?(\w+)/.exec(query)?.[1] ?? [])
        .map((table) => nameOf(table, settings)),
    );
    for (const partition of partitions) if (!filled.has(partition.table)) await load(partition);
    // Drop what the views have just derived from the rows, and load their own copied rows instead.
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

/** Sums the rows and hashes of a partition over the nodes of a cluster. */
const addUp = (shares: readonly CopiedPartition[]) => ({
  rows: shares.reduce((sum, { rows }) => sum + rows, 0),
  hash: String(
    BigInt.asUintN(
      64,
      shares.reduce((sum, { hash }) => sum + BigInt(hash), 0n),
    ),
  ),
});
