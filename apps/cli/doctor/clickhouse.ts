import { type ClickHouse, clickhouseSettings, connectEveryNode, raw } from '@tributary/clickhouse';
import type { Settings } from '@tributary/config';
import { type Finding, ok, wrong } from './finding.ts';

export async function examineClickHouse(settings: Settings): Promise<Finding[]> {
  const nodes = connectEveryNode(clickhouseSettings(settings));
  try {
    return (await Promise.all(nodes.map(nodes.length === 1 ? examineNode : examineOneOfMany))).flat();
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
  }
}

/** Names each node of a cluster by its address, so that an unreachable one does not hide the others. */
async function examineOneOfMany(node: ClickHouse): Promise<Finding[]> {
  const { host } = new URL(node.settings.url);
  const findings = await examineNode(node).catch((error: Error) => [
    wrong('clickhouse', error.message, 'Start it, or correct its address in CLICKHOUSE_NODES.'),
  ]);
  return findings.map((finding) => ({ ...finding, detail: `${host}: ${finding.detail}` }));
}

async function examineNode(node: ClickHouse): Promise<Finding[]> {
  const [row] = await node.query(
    raw<{ version: string; tables: string }>(
      'SELECT version() AS version, (SELECT count() FROM system.tables WHERE database = currentDatabase()) AS tables',
    ),
    {},
  );
  if (Number(row?.tables) === 0) return [wrong('clickhouse', 'the schema is missing', 'Run "tributary migrate".')];
  const findings = [await readOnlyTables(node), await stuckMutations(node), await fullDisks(node)];
  return [ok('clickhouse', `version ${row?.version}`), ...findings.filter((finding) => finding !== undefined)];
}

/** Replicated tables that lost their connection to the other replicas. */
async function readOnlyTables(client: ClickHouse): Promise<Finding | undefined> {
  const [row] = await client.query(
    raw<{ tables: string }>(
      'SELECT count() AS tables FROM system.replicas WHERE database = currentDatabase() AND is_readonly',
    ),
    {},
  );
  const tables = Number(row?.tables);
  if (tables === 0) return undefined;
  return wrong(
    'clickhouse',
    `${tables} table(s) may only be read`,
    'Is its Keeper running? It goes on by itself then.',
  );
}

async function stuckMutations(client: ClickHouse): Promise<Finding | undefined> {
  const [row] = await client.query(
    raw<{ stuck: string }>(
      "SELECT count() AS stuck FROM system.mutations WHERE database = currentDatabase() AND NOT is_done AND latest_fail_reason != ''",
    ),
    {},
  );
  const stuck = Number(row?.stuck);
  if (stuck === 0) return undefined;
  return wrong(
    'clickhouse',
    `${stuck} mutation(s) fail, and erasures wait for them`,
    'See latest_fail_reason in system.mutations; out of disk is the usual reason.',
  );
}

async function fullDisks(client: ClickHouse): Promise<Finding | undefined> {
  const [row] = await client.query(
    raw<{ free: string }>('SELECT min(free_space / greatest(total_space, 1)) AS free FROM system.disks'),
    {},
  );
  const free = Number(row?.free);
  if (!(free < 0.1)) return undefined;
  return wrong(
    'clickhouse',
    `a disk of it has ${Math.round(free * 100)}% left`,
    'Give it more, or see docs/operations/when-an-engine-fails.md.',
  );
}
