import type { ClickHouse } from './client.ts';
import { connectEveryNode } from './nodes.ts';
import { raw } from './queries.ts';
import type { ClickHouseSettings } from './settings.ts';

/**
 * Starts deleting all rows of a profile from every table on every node, and returns how many rows remain. Call it
 * again until it returns 0: a large table takes longer than a request may. A deletion that is still running is not
 * started again.
 */
export async function deleteProfileRows(settings: ClickHouseSettings, profileId: string): Promise<number> {
  const nodes = connectEveryNode(settings);
  try {
    let left = 0;
    for (const node of nodes)
      for (const { name } of await node.query('profile_table_list', {}))
        left += await deleteFromTable(node, name, profileId);
    return left;
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
  }
}

async function deleteFromTable(node: ClickHouse, table: string, profile_id: string): Promise<number> {
  const [rowCount] = await node.query(
    raw<{ n: string }>(`SELECT count() AS n FROM "${table}" WHERE profile_id = {profile_id:UUID}`),
    { profile_id },
  );
  const rows = Number(rowCount?.n ?? 0);
  if (rows === 0) return 0;
  const [running] = await node.query(
    raw<{ n: string; failure: string }>(`
      SELECT count() AS n, anyIf(latest_fail_reason, latest_fail_reason != '') AS failure FROM system.mutations
      WHERE database = currentDatabase() AND table = {table:String} AND NOT is_done AND NOT is_killed
        AND position(command, 'DELETE') > 0 AND position(command, {profile_id:String}) > 0`),
    { table, profile_id },
  );
  if (running && running.failure !== '')
    throw new Error(`ClickHouse cannot remove a profile from ${table}: ${running.failure}`);
  if (running?.n === '0')
    await node.command(
      raw(`ALTER TABLE "${table}" DELETE WHERE profile_id = {profile_id:UUID} SETTINGS mutations_sync = 0`),
      { profile_id },
    );
  return rows;
}
