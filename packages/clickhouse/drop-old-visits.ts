import { connectEveryNode } from './nodes.ts';
import { raw } from './queries.ts';
import type { ClickHouseSettings } from './settings.ts';

/**
 * Drops quarters of visits that ended more than `days` days ago, on every node; undefined keeps all of them. Touches
 * are kept. Safe to run again.
 */
export async function dropOldVisits(
  settings: ClickHouseSettings,
  days: number | undefined,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  if (days === undefined) return;
  const nodes = connectEveryNode(settings);
  try {
    for (const node of nodes)
      for (const { id } of await node.query('visit_list_old_quarters', { now, days }, { signal }))
        await node.command(raw(`ALTER TABLE {{local visits}} DROP PARTITION ID '${id}'`), {}, { signal });
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
  }
}
