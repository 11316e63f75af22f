import { connectEveryNode } from './nodes.ts';
import { raw } from './queries.ts';
import type { ClickHouseSettings } from './settings.ts';

/** Drops quarters of visits that ended so many days ago, on every node. Undefined: all are kept. Touches stay. Safe to run again. */
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
