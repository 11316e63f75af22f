import { queryOptions } from '@tanstack/react-query';
import { clientFor } from './client.ts';
import { type Connection, isSyncing } from './data/queries.ts';
import { type CampaignRow, emptyRecheckMs, keyOf, maxRows, type ReportScope, reportOf } from './queries.ts';
import type { Level, Model, Within } from './search.ts';
import { limits } from './vocabulary.ts';

/** Rows of a level, or the children of a campaign or ad set. The first page shows while the others load. */
export const campaignsQuery = (scope: ReportScope, level: Level, model: Model, within?: Within) => {
  const parent = within?.adSet ?? within?.campaign;
  const queryKey = ['campaigns', ...keyOf(scope), level, model, ...(parent ? [within?.platform, parent] : [])];
  return queryOptions({
    queryKey,
    queryFn: async ({ signal, client }): Promise<CampaignRows> => {
      const query = { ...reportOf(scope), level, model, limit: limits.campaigns, ...(parent && { parent_id: parent }) };
      const isFirst = client.getQueryData(queryKey) === undefined;
      const rows: CampaignRow[] = [];
      for await (const row of clientFor(scope.profileId).listCampaigns.each({ query, signal })) {
        if (rows.length === maxRows) return { rows, isCut: true };
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

/** How soon rows are refetched: while there are none, or while a sync may still change them. */
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
  /** More rows exist than were loaded. */
  readonly isCut: boolean;
}
