import { copyDelivery, openSpendImporter } from '@tributary/domain/campaigns/room.ts';
import type { Ad, AdSet, DeliveryRow, Market } from '@tributary/market';
import { fromMinorUnits } from '@tributary/rules';
import { dayMs } from '@tributary/vocabulary';
import type { FillEngines } from './fill-fast.ts';

const rowsOfBatch = 1_000;

/**
 * Tells what the market's ads cost, the way a file of spend does, and copies it into the columns. There are as many rows as ads and
 * days, whatever the number of people. Told again, it changes nothing.
 */
export async function fillDelivery(
  market: Market,
  rows: Iterable<DeliveryRow>,
  { app, clickhouse }: Pick<FillEngines, 'app' | 'clickhouse'>,
): Promise<number> {
  const importer = await openSpendImporter(app, market.profileId, () => new Date(market.until + dayMs));
  if (!importer) throw new Error('Fill the market first: its profile is not there.');
  let batch: { line: number; cells: Record<string, string> }[] = [];
  let told = 0;
  const send = async () => {
    const { rejected } = await importer.import(batch);
    if (rejected.length > 0) throw new Error(`A row of the market is refused: ${JSON.stringify(rejected[0])}`);
    batch = [];
  };
  for (const row of rows) {
    told += 1;
    batch.push({ line: told, cells: cellsOf(row) });
    if (batch.length === rowsOfBatch) await send();
  }
  await send();
  while (await copyDelivery({ app, clickhouse }, market.profileId, 5_000));
  return told;
}

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
