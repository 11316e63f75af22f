import type { AttributionModel, EntityLevel } from '@tributary/contract';
import type { Context } from '@tributary/operations';
import { fromMinorUnits, ratio, roundCount, subtractAmounts, unitCost } from '@tributary/rules';
import { type DeliveryColumn, deliveryColumns, nilUuid } from '@tributary/vocabulary';
import { type ConversionQuery, type Owner, parametersOf } from './conversion-page.ts';
import { type ConversionSum, conversionsCounted, figureOf, type ReportField, type Sum } from './explained-figure.ts';
import { costText } from './figures.ts';
import type { DeliveryPeriod } from './period.ts';
import type { ReportServices } from './services.ts';

/** Selects the owner, days and model of a figure. */
export interface FigureQuery {
  readonly delivery: DeliveryPeriod;
  readonly level: EntityLevel;
  readonly model: AttributionModel;
  readonly entityId: string;
  /** A platform, a channel or an account instead of an entity. */
  readonly owner?: Pick<Owner, 'name'> & { readonly owners: 'platforms' | 'channels' | 'accounts' };
  /** For an account: all connections it has ever had. */
  readonly accounts?: readonly string[] | undefined;
  readonly isEverything: boolean;
  readonly conversionType: string;
}

export interface FigureSum {
  readonly value: string | null;
  /** For a ratio or a difference: the two figures it is made of. */
  readonly parts: { field: ReportField; value: string | null }[];
  readonly rest: {
    readonly row_count: number;
    readonly contributes: string;
    readonly exclusions: { reason: string; count: number; meaning: string }[];
  };
}

type Services = Pick<Context, 'signal'> & ReportServices;

/** Computes a figure from the same rows that the report sums. */
export function sumFigure(field: ReportField, query: FigureQuery, services: Services): Promise<FigureSum> {
  const figure = figureOf(field);
  switch (figure.rows) {
    case 'conversions':
      return sumConversions(figure, query, services);
    case 'delivery':
      return sumDelivery(figure, query, services);
    case 'both':
      return sumDifference(figure, query, services);
    case 'none':
      return sumRatio(figure, query, services);
  }
}

/** Query of the conversions that a figure sums. */
export function toConversionQuery(figure: ConversionSum, query: FigureQuery): ConversionQuery {
  const { owner } = query;
  return {
    ...query,
    period: query.delivery.period,
    owner: owner && { name: owner.name, owners: (figure.owners ?? owner.owners) as Owner['owners'] },
    ...conversionsCounted(figure, query),
  };
}

async function sumConversions(
  figure: ConversionSum,
  query: FigureQuery,
  { clickhouse, signal }: Services,
): Promise<FigureSum> {
  const { currency } = query.delivery.period;
  const [row] = await clickhouse.query('report_sum_credits', parametersOf(toConversionQuery(figure, query)), {
    signal,
  });
  const { conversions = '0', credit = '0', without_rate = '0' } = row ?? {};
  const isCredit = figure.adds === 'credit';
  const sum = isCredit ? fromMinorUnits(BigInt(credit), currency) : conversions;
  const isUnknown = isCredit && conversions !== '0' && conversions === without_rate;
  return {
    value: isUnknown ? null : sum,
    parts: [],
    rest: {
      row_count: Number(conversions),
      contributes: sum,
      exclusions: isCredit
        ? withoutRate(without_rate, 'Conversions whose currency has no exchange rate: they count, and add no value.')
        : [],
    },
  };
}

export const deliveryParameters = (field: DeliveryColumn, query: FigureQuery) => ({
  ...query.delivery.parameters,
  // Total and platform spend are read at campaign level, which includes delivery without a known campaign.
  level: query.isEverything || query.owner ? 'campaign' : query.level,
  field,
  is_everything: query.isEverything || query.owner !== undefined,
  entity_id: query.entityId,
  platform: query.accounts ? '' : (query.owner?.name ?? ''),
  scope: query.accounts ? ('account' as const) : ('all' as const),
  ...(query.accounts && { accounts: query.accounts }),
});

/** Unattributed conversions have no delivery. */
export const isUnattributed = ({ isEverything, owner, entityId }: FigureQuery): boolean =>
  !isEverything && owner === undefined && entityId === nilUuid;

async function sumDelivery(
  { column }: Extract<Sum, { readonly rows: 'delivery' }>,
  query: FigureQuery,
  { clickhouse, signal }: Services,
): Promise<FigureSum> {
  const { currency } = query.delivery.period;
  const rows = isUnattributed(query)
    ? []
    : await clickhouse.query('delivery_sum_counted', deliveryParameters(column, query), { signal });
  const { days = '0', contributes = null, without_rate = '0', with_rate = '0' } = rows[0] ?? {};
  const amount = contributes ?? (deliveryColumns[column].isAlwaysTold ? '0' : null);
  const isUnknown = amount === null || (without_rate !== '0' && with_rate === '0');
  return {
    value: isUnknown ? null : deliveryColumns[column].isMoney ? costText(amount, currency) : roundCount(amount),
    parts: [],
    rest: {
      row_count: Number(days),
      contributes: amount ?? '0',
      exclusions: withoutRate(without_rate, 'Days whose currency has no exchange rate yet: they add nothing.'),
    },
  };
}

type FigureWithRows<Rows extends string> = Extract<ReturnType<typeof figureOf>, { readonly rows: Rows }>;

async function sumParts(
  { parts }: FigureWithRows<'both'> | FigureWithRows<'none'>,
  query: FigureQuery,
  services: Services,
) {
  const [first, second] = await Promise.all([
    sumFigure(parts[0], query, services),
    sumFigure(parts[1], query, services),
  ]);
  const shown = [
    { field: parts[0], value: first.value },
    { field: parts[1], value: second.value },
  ];
  return { first, second, parts: shown, exclusions: [...first.rest.exclusions, ...second.rest.exclusions] };
}

async function sumDifference(
  figure: FigureWithRows<'both'>,
  query: FigureQuery,
  services: Services,
): Promise<FigureSum> {
  const { first, second, parts, exclusions } = await sumParts(figure, query, services);
  const { currency } = query.delivery.period;
  const difference = first.value === null || second.value === null ? null : subtractAmounts(first.value, second.value);
  return {
    value: difference !== null && figure.unit === 'money' ? costText(difference, currency) : difference,
    parts,
    rest: {
      row_count: first.rest.row_count + second.rest.row_count,
      contributes: subtractAmounts(first.rest.contributes, second.rest.contributes),
      exclusions,
    },
  };
}

/** A ratio has no rows; callers explain its two parts instead. */
async function sumRatio(figure: FigureWithRows<'none'>, query: FigureQuery, services: Services): Promise<FigureSum> {
  const { first, second, parts, exclusions } = await sumParts(figure, query, services);
  const { isCost, times } = figure;
  const value = isCost
    ? unitCost(first.value, second.value, query.delivery.period.currency, times)
    : ratio(first.value, second.value, times);
  return {
    value: value === null ? null : plainDecimal(value),
    parts,
    rest: { row_count: 0, contributes: '0', exclusions },
  };
}

const withoutRate = (count: string, meaning: string) =>
  count === '0' ? [] : [{ reason: 'no_exchange_rate', count: Number(count), meaning }];

/** Formats a number without an exponent. */
export function plainDecimal(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(20).replace(/\.?0+$/, '') : text;
}
