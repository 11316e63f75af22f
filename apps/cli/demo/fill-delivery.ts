import { copyDelivery, openSpendImporter } from '@tributary/domain/advertising/campaigns/module.ts';
import type { Ad, AdSet, DeliveryRow, Market } from '@tributary/market';
import { fromMinorUnits } from '@tributary/rules';
import { dayMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import type { FillEngines } from './fill-fast.ts';

const rowsOfBatch = 1_000;

export interface DeliveryOptions {
  /** When a day's figures were reported; by default all of them after the market's last day. */
  readonly reportedAt?: (day: string) => Date;
  /** Days that a platform first reported too low and restated later, by platform and day. */
  readonly restated?: readonly { readonly platform: string; readonly day: string; readonly at: Date }[];
}

/**
 * Imports the market's ad spend as a spend file is imported, and copies it into ClickHouse. The number of rows is ads times days, independent of the
 * number of customers. Repeating it changes nothing.
 */
export async function fillDelivery(
  market: Market,
  rows: Iterable<DeliveryRow>,
  { app, clickhouse }: Pick<FillEngines, 'app' | 'clickhouse'>,
  { reportedAt = () => new Date(market.until + dayMs), restated = [] }: DeliveryOptions = {},
): Promise<number> {
  let now = new Date(market.until + dayMs);
  const importer = await openSpendImporter(app, market.profileId, () => now);
  if (!importer) throw new Error('Fill the market first: its profile is not there.');
  let line = 0;
  const send = async (batch: readonly DeliveryRow[], at: Date) => {
    now = at;
    const lines = batch.map((row) => ({ line: ++line, cells: cellsOf(row) }));
    for (let from = 0; from < lines.length; from += rowsOfBatch) {
      const { rejected } = await importer.import(lines.slice(from, from + rowsOfBatch));
      if (rejected.length > 0) throw new Error(`A row of the market is refused: ${JSON.stringify(rejected[0])}`);
    }
  };
  const all = [...rows];
  // Each batch has one timestamp, so that an as-of report finds what had been reported by then.
  const byMoment = Map.groupBy(all, ({ day }) => reportedAt(day).getTime());
  const restatedOf = ({ day, entity }: DeliveryRow) =>
    restated.find((one) => one.day === day && one.platform === entity.platform);
  for (const [at, batch] of [...byMoment].sort(([one], [other]) => one - other))
    await send(
      batch.map((row) => (restatedOf(row) ? asFirstReported(row) : row)),
      new Date(at),
    );
  for (const one of restated)
    await send(
      all.filter((row) => restatedOf(row) === one),
      one.at,
    );
  // Dates entities at the start of the market, not at the time of the copy.
  await app
    .forProfile(market.profileId)
    .transaction((tx) =>
      sql`UPDATE dirty_entities SET marked_at = ${new Date(market.from)} WHERE profile_id = ${market.profileId}`.execute(
        tx,
      ),
    );
  while (await copyDelivery({ app, clickhouse }, market.profileId, 5_000));
  return all.length;
}

/** Platforms attribute conversions for days after, and bill some clicks late. */
const asFirstReported = (row: DeliveryRow): DeliveryRow => ({
  ...row,
  spend: (row.spend * 92n) / 100n,
  clicks: Math.floor(row.clicks * 0.95),
  claimedConversions: Math.floor(row.claimedConversions * 0.7),
  claimedValue: (row.claimedValue * 7n) / 10n,
});

function cellsOf({ level, entity, day, currency, ...row }: DeliveryRow): Record<string, string> {
  return {
    platform: entity.platform,
    level,
    external_id: entity.externalId,
    name: entity.name,
    status: 'ACTIVE',
    date: day,
    currency,
    spend: fromMinorUnits(row.spend, currency),
    impressions: String(row.impressions),
    clicks: String(row.clicks),
    reach: String(row.reach),
    conversions: String(row.claimedConversions),
    conversion_value: fromMinorUnits(row.claimedValue, currency),
    ...(row.videoViews !== null && { video_views_3s: String(row.videoViews) }),
    ...(row.videoCompletions !== null && { video_completions: String(row.videoCompletions) }),
    ...parentsOf(level, entity as Ad | AdSet),
  };
}

function parentsOf(level: DeliveryRow['level'], entity: Ad | AdSet): Record<string, string> {
  if (level === 'campaign') return {};
  const adSet = 'adSet' in entity ? entity.adSet : entity;
  return {
    campaign_external_id: adSet.campaign.externalId,
    ...(level === 'ad' && { ad_set_external_id: adSet.externalId }),
  };
}
