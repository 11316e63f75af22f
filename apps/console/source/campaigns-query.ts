import { queryOptions } from '@tanstack/react-query';
import { clientFor } from './client.ts';
import { type Connection, isSyncing } from './data/queries.ts';
import { type CampaignRow, emptyRecheckMs, keyOf, mostRows, type Place, reportOf } from './queries.ts';
import type { Level, Model, Within } from './search.ts';
import { limits } from './vocabulary.ts';

/** Rows of a level, or of what belongs to a campaign or ad set. The first page shows while the others are loaded. */
export const campaignsQuery = (place: Place, level: Level, model: Model, within?: Within) => {
  const parent = within?.adSet ?? within?.campaign;
  const queryKey = ['campaigns', ...keyOf(place), level, model, ...(parent ? [within?.platform, parent] : [])];
  return queryOptions({
    queryKey,
    queryFn: async ({ signal, client }): Promise<CampaignRows> => {
      const query = { ...reportOf(place), level, model, limit: limits.campaigns, ...(parent && { parent_id: parent }) };
      const isFirst = client.getQueryData(queryKey) === undefined;
      const rows: CampaignRow[] = [];
      for await (const row of clientFor(place.profileId).listCampaigns.each({ query, signal })) {
        if (rows.length === mostRows) return { rows, isCut: true };
        if (isFirst && rows.length === limits.campaigns)
          client.setQueryData(queryKey, { rows: [...rows], isCut: true });
        rows.push(row);
      }
      return { rows, isCut: false };
    },
  });
};

/** Spend reaches reports seconds after its sync has ended. */
const settledAfterMs = 30_000;

/** How soon the rows are read again: while there are none, or while a sync may still change them. */
export function recheckInterval(
  rows: readonly unknown[] | undefined,
  connections: readonly Pick<Connection, 'sync'>[],
  now: number,
): number | false {
  if (!rows) return false;
  const isChanging = connections.some(
    (one) => isSyncing(one) || now - Date.parse(one.sync.last_success_at ?? '') < settledAfterMs,
  );
  return rows.length === 0 || isChanging ? emptyRecheckMs : false;
}

interface CampaignRows {
  readonly rows: readonly CampaignRow[];
  /** There are more rows than these. */
  readonly isCut: boolean;
}
