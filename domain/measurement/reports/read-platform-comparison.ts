import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { reportedBasisOf } from '@tributary/providers';
import { attributionModels, limits } from '@tributary/vocabulary';
import { nameOf } from './campaign-row.ts';
import { creditText } from './figures.ts';
import { readDeliveryPeriod } from './period.ts';
import { readNamedEntities } from './read-entities.ts';
import type { ReportServices } from './services.ts';
import { sidesOf } from './sides.ts';

/** Bounds the response: a row has a few hundred bytes, and no reader compares more entities than this. */
const maxRows = limits.platformComparison.maxEntities;

export const readPlatformComparison: Handles<Routes['readPlatformComparison'], ReportServices> = async (
  { query },
  context,
) => {
  const { level, model, date_from, date_to } = query;
  const { clickhouse, signal } = context;
  const delivery = await readDeliveryPeriod(query, context);
  const { profileId, from, until, currency, moment, about } = delivery.period;
  const credits = { profile_id: profileId, level, model, from, until, ...moment };
  const isDivided = attributionModels[model].credit === 'multiple';
  const cashPartsOf = async (owners: 'platforms' | 'entities') =>
    isDivided ? await clickhouse.query('report_list_cash_parts', { ...credits, owners }, { signal }) : [];
  const [entities, delivered, credited, unassigned, ofPlatforms, ofEntities] = await Promise.all([
    readNamedEntities(delivery, { level, model, limit: maxRows }, context),
    // The platform's total includes spend that is reported only at campaign level.
    clickhouse.query('delivery_list_platforms', { ...delivery.parameters, level: 'campaign' }, { signal }),
    clickhouse.query('report_list_platforms', { ...credits, owners: 'platforms' }, { signal }),
    clickhouse.query('report_list_platforms', { ...credits, owners: 'unassigned' }, { signal }),
    cashPartsOf('platforms'),
    cashPartsOf('entities'),
  ]);
  const partsOfPlatform = new Map(ofPlatforms.map((row) => [row.platform, row.millionths]));
  const partsOfEntity = new Map(ofEntities.map((row) => [row.owner_id, row.millionths]));
  const divided = (parts: ReadonlyMap<string, string>, owner: string) =>
    isDivided ? { millionths: parts.get(owner) ?? '0' } : {};
  const nothing = { conversions: '0', payments: '0', value: '0', valued: '0' };
  const names = new Set([...delivered, ...credited, ...unassigned].map(({ platform }) => platform));
  return answer(200, {
    data: {
      platforms: [...names].sort().map((platform) => {
        const isOf = (row: { readonly platform: string }) => row.platform === platform;
        const reported = delivered.find(isOf);
        const rest = unassigned.find(isOf) ?? nothing;
        return {
          platform,
          ...sidesOf(
            { ...noDelivery, ...reported, ...(credited.find(isOf) ?? nothing), ...divided(partsOfPlatform, platform) },
            currency,
          ),
          reported_basis: reportedBasisOf(platform),
          has_delivery: reported !== undefined,
          delivery_through: reported?.through ?? null,
          unassigned_conversions: Number(rest.conversions),
          unassigned_cash_revenue: creditText(rest.value, currency),
        };
      }),
      rows: entities.map((row) => ({
        entity_id: row.entity_id,
        external_id: row.external_id || null,
        name: nameOf(row.name, row.external_id) ?? '',
        platform: row.platform,
        ...sidesOf({ ...row, ...divided(partsOfEntity, row.entity_id) }, currency),
      })),
    },
    meta: { date_from, date_to, model, ...about, exclusions: [...about.exclusions, ...delivery.excludedValue] },
  });
};

const noDelivery = { spend: '0', is_spend_unknown: 0, platform_conversions: null, platform_value: null };
