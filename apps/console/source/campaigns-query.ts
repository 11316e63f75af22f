import { queryOptions } from '@tanstack/react-query';
import { clientFor } from './client.ts';
import { type CampaignRow, keyOf, mostRows, type Place, reportOf } from './queries.ts';
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

interface CampaignRows {
  readonly rows: readonly CampaignRow[];
  /** There are more rows than these. */
  readonly isCut: boolean;
}
