import { connectEveryNode } from './nodes.ts';
import { raw } from './queries.ts';
import type { ClickHouseSettings } from './settings.ts';

/** Removes all rows of a profile from every table on every node, and resolves when they are gone. Safe to run again. */
export async function forgetProfile(settings: ClickHouseSettings, profileId: string): Promise<void> {
  const nodes = connectEveryNode(settings);
  try {
    for (const node of nodes) {
      for (const { name } of await node.query('profile_table_list', {})) {
        await node.command(
          raw(`ALTER TABLE "${name}" DELETE WHERE profile_id = {profile_id:UUID} SETTINGS mutations_sync = 2`),
          {
            profile_id: profileId,
          },
        );
      }
    }
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
  }
}
