import type { ClickHouse } from '@tributary/clickhouse';
import { limits, nilUuid } from '@tributary/vocabulary';

/** Groups sources into types: by campaign, or by channel for sources without a campaign. */
export interface Types {
  readonly count: number;
  /** The number of a source's type. */
  readonly of: (sourceId: string) => number;
}

/** Beyond this number the sources with the fewest purchases are grouped by channel. */
const maxSources = 200_000;

/**
 * Groups by campaign, not by tag, so that a new tagging scheme does not split a campaign. The most frequent campaigns are types of their
 * own, the others belong to their channel.
 */
export async function readTypes(
  clickhouse: ClickHouse,
  period: { readonly profile_id: string; readonly from: Date; readonly until: Date },
  signal: AbortSignal,
): Promise<Types> {
  const parameters = { ...period, moment: 'now', level: 'campaign', limit: maxSources } as const;
  const sources = await clickhouse.query('model_list_sources', parameters, { signal });
  const purchasesOf = new Map<string, number>();
  for (const { campaign_id, purchases } of sources)
    if (campaign_id !== nilUuid) purchasesOf.set(campaign_id, (purchasesOf.get(campaign_id) ?? 0) + Number(purchases));
  const ownTypes = [...purchasesOf]
    .sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1))
    .slice(0, limits.models.types)
    .map(([campaign]) => campaign);
  // Type 0 is for sources that are not listed.
  const names = ['', ...ownTypes, ...[...new Set(sources.map(({ channel }) => `channel ${channel}`))].sort()];
  const numbers = new Map(names.map((name, number) => [name, number]));
  const bySource = new Map(
    sources.map(({ source_id, campaign_id, channel }) => [
      source_id,
      numbers.get(campaign_id) ?? numbers.get(`channel ${channel}`) ?? 0,
    ]),
  );
  return { count: names.length, of: (sourceId) => bySource.get(sourceId) ?? 0 };
}
