import type { ClickHouse } from '@tributary/clickhouse';
import { limits, nilUuid } from '@tributary/vocabulary';

/** Which sources a model takes for the same: those of one campaign, or of one channel without a campaign. */
export interface Types {
  readonly count: number;
  /** The number of a source's type. */
  readonly of: (sourceId: string) => number;
}

/** Those that fewest purchases met are taken for their channel beyond it. */
const mostSources = 200_000;

/** Campaigns, not tags: a new way of tagging splits nothing in two. The most frequent are told apart, the others are their channel. */
export async function readTypes(
  clickhouse: ClickHouse,
  period: { readonly profile_id: string; readonly from: Date; readonly until: Date },
  signal: AbortSignal,
): Promise<Types> {
  const asked = { ...period, moment: 'now', level: 'campaign', limit: mostSources } as const;
  const sources = await clickhouse.query('model_list_sources', asked, { signal });
  const purchasesOf = new Map<string, number>();
  for (const { campaign_id, purchases } of sources)
    if (campaign_id !== nilUuid) purchasesOf.set(campaign_id, (purchasesOf.get(campaign_id) ?? 0) + Number(purchases));
  const told = [...purchasesOf]
    .sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1))
    .slice(0, limits.models.types)
    .map(([campaign]) => campaign);
  // What nobody has seen before stands first.
  const names = ['', ...told, ...[...new Set(sources.map(({ channel }) => `channel ${channel}`))].sort()];
  const numbers = new Map(names.map((name, number) => [name, number]));
  const bySource = new Map(
    sources.map(({ source_id, campaign_id, channel }) => [
      source_id,
      numbers.get(campaign_id) ?? numbers.get(`channel ${channel}`) ?? 0,
    ]),
  );
  return { count: names.length, of: (sourceId) => bySource.get(sourceId) ?? 0 };
}
