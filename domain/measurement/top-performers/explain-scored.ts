import type { Input, Routes } from '@tributary/contract';
import { findDailyRates } from '@tributary/domain/commerce/money';
import {
  deliveryPeriodOf,
  explainFigure,
  findEntity,
  maxRates,
  plainDecimal,
  type ReportField,
  type ReportServices,
  readPeriod,
} from '@tributary/domain/measurement/reports';
import { answer, type ProfileContext, refuse } from '@tributary/operations';
import { explainScore, isScoreField } from './explain-score.ts';
import type { Scored } from './scored.ts';
import { shownFigures } from './shown-figures.ts';
import { findRebuild } from './store.ts';

type Query = Input<Routes['explain']>['query'];
type Services = ProfileContext & ReportServices;

/** Explains a figure of the top performers list. */
export async function explainScored(query: Query, context: Services) {
  const scored = await findScore(query, context);
  const { field } = query;
  const { period, ...found } = isScoreField(field)
    ? { ...(await explainScore(field, scored, query, context)), period: await readPeriod(rangeOf(scored), context) }
    : await explainShown(field, scored, query, context);
  const range = rangeOf(scored);
  return answer(200, {
    ...found,
    meta: {
      ...{ date_from: range.date_from, date_to: range.date_to, model: 'last_touch' as const },
      ...period.about,
      level: 'ad' as const,
      time_zone: period.timeZone,
      from: period.from.toISOString(),
      until: period.until.toISOString(),
    },
  });
}

async function findScore(
  { entity_id, platform, channel, as_of, window, type }: Query,
  context: Services,
): Promise<Scored> {
  const { caller, ledger, clickhouse, signal } = context;
  const { profileId } = caller;
  for (const [field, given] of Object.entries({ platform, channel, as_of, type }))
    if (given !== undefined)
      refuseField(field, `Top ads have no "${field}": they are of one ad, as it was last scored.`);
  if (entity_id === undefined) refuseField('entity_id', 'Name the ad whose figure it is with "entity_id".');
  const adId = await findEntity(entity_id ?? '', 'ad', context);
  const rebuild = await ledger.transaction((tx) => findRebuild(tx, profileId, window), { readOnly: true });
  const [score] =
    adId && rebuild?.window
      ? await clickhouse.query(
          'ad_read_score',
          { profile_id: profileId, score_window: window, ad_id: adId },
          { signal },
        )
      : [];
  if (!rebuild?.window || !score) return refuse('not_found', 'There is no such ad among those that were scored.');
  return { score, at: rebuild.at, window: rebuild.window };
}

const refuseField = (field: string, message: string): never =>
  refuse('invalid_parameter', message, { fields: { field } });

const rangeOf = ({ window }: Scored) => ({ date_from: window.firstDay, date_to: window.lastDay });

/**
 * Explains a displayed figure with the current rows, which contain the most detail. If these have changed since, uses the rows as of the
 * time of scoring.
 */
async function explainShown(field: ReportField, scored: Scored, query: Query, context: Services) {
  const shown = shownFigures(scored.score);
  const value = shown[field];
  if (value === undefined) return refuseField('field', `Top ads have no "${field}".`);
  const isSame = ({ data }: { readonly data: Explained }): boolean =>
    (data.parts.length > 0 ? data.parts : [data]).every((one) => isFigure(one.value, shown[one.field as ReportField]));
  const read = async (asOf?: Date) => {
    const delivery = await readScoredPeriod(scored, context, asOf);
    const figureQuery = {
      delivery,
      level: 'ad',
      model: 'last_touch',
      entityId: scored.score.ad_id,
      isEverything: false,
      conversionType: '',
    } as const;
    return { ...(await explainFigure(field, figureQuery, query, context)), period: delivery.period };
  };
  const now = await read();
  const found = isSame(now) ? now : await read(scored.at);
  const { data } = found;
  const isExact = isSame(found);
  return {
    ...found,
    data: {
      ...data,
      value: isExact && data.parts.length === 0 ? (data.value ?? textOf(value)) : textOf(value),
      parts: data.parts.map((part) => ({ ...part, value: textOf(shown[part.field as ReportField] ?? null) })),
      exclusions: [...data.exclusions, ...(isExact ? [] : [changedSince])],
    },
  };
}

type Explained = {
  readonly field: string;
  readonly value: string | null;
  readonly parts: readonly { readonly field: string; readonly value: string | null }[];
};

/** If workers wrote rows while ads were scored, the exact rows cannot be restored. */
const changedSince = {
  reason: 'changed_since_scored',
  count: 1,
  meaning: 'What it is made of changed while ads were scored: these rows are near it, and do not add up to it.',
};

const isFigure = (text: string | null, shown: number | null | undefined): boolean =>
  // An amount of which nothing could be converted is displayed as zero.
  Number(text ?? 0) === (shown ?? 0);

const textOf = (value: number | null): string | null => (value === null ? null : plainDecimal(value));

/** The days of the window, with exchange rates only for days with spend, because a lifetime has too many days. */
async function readScoredPeriod(scored: Scored, context: Services, asOf?: Date) {
  const { clickhouse, ledger, signal } = context;
  const range = { ...rangeOf(scored), ...(asOf && { as_of: asOf.toISOString() }) };
  const period = await readPeriod(range, context);
  const { profileId, firstDay, lastDay, currency } = period;
  const days = { profile_id: profileId, first_day: firstDay, last_day: lastDay, currency };
  const foreign = await clickhouse.query('ad_list_rate_days', { ...days, limit: maxRates }, { signal });
  const rates = await ledger.transaction((tx) => findDailyRates(tx, currency, foreign, asOf), { readOnly: true });
  return deliveryPeriodOf(
    period,
    new Map(rates.map(({ day, currency: of, rate, rateDate }) => [`${of} ${day}`, { rate, rateDate }])),
  );
}
