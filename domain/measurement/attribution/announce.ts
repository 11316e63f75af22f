import type { ClickHouse } from '@tributary/clickhouse';
import { stampAttributed } from '@tributary/domain/commerce/definitions';
import { announce } from '@tributary/domain/tenancy/events';
import type { Tx } from '@tributary/postgres';
import { v5 as uuidFrom } from 'uuid';

/** Definitions with credited conversions in this version, by profile: at least one campaign, ad set or ad got a share. */
export async function findCredited(
  clickhouse: ClickHouse,
  found_in: 'attribution_results' | 'attributed_conversions',
  { profileIds, version }: { readonly profileIds: readonly string[]; readonly version: string },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await clickhouse.query('attribution_list_credited', { found_in, profile_ids: profileIds, version });
  const byProfile = Map.groupBy(rows, ({ profile_id }) => profile_id);
  return new Map([...byProfile].map(([key, found]) => [key, found.map(({ definition_id }) => definition_id)]));
}

/** Publishes conversion.attributed for each definition once: the stamp on the definition is permanent. */
export async function announceAttributed(
  tx: Tx,
  profileId: string,
  definitionIds: readonly string[],
  now: Date,
): Promise<void> {
  const rows = await stampAttributed(tx, profileId, definitionIds, now);
  await announce(
    tx,
    rows.map(({ id, key }) => ({
      id: uuidFrom(`conversion.attributed:${id}`, profileId),
      type: 'conversion.attributed',
      data: { profile_id: profileId, definition_id: id, conversion_key: key },
      occurredAt: now,
    })),
  );
}
