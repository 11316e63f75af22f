import type { AttributionModel, EntityLevel } from '@tributary/contract';
import type { Context } from '@tributary/operations';
import { fromMinorUnits, ratio, roundCount, subtractAmounts, unitCost } from '@tributary/rules';
import { type DeliveryColumn, deliveryColumns, nilUuid } from '@tributary/vocabulary';
import { type Owner, parametersOf, type Wanted } from './conversion-page.ts';
import { conversionsCounted, figureOf, type OfConversions, type ReportField, type Sum } from './explained-figure.ts';
import { costText } from './figures.ts';
import type { DeliveryPeriod } from './period.ts';
import type { ReportServices } from './services.ts';

/** Whose figure, of which days, under which model. */
export interface Asked {
  readonly delivery: DeliveryPeriod;
  readonly level: EntityLevel;
  readonly model: AttributionModel;
  readonly entityId: string;
  /** A platform, a channel or an account in place of an entity. */
  readonly owner?: Pick<Owner, 'name'> & { readonly owners: 'platforms' | 'channels' | 'accounts' };
  /** Of an account: the connections that it had. */
  readonly accounts?: readonly string[] | undefined;
  readonly isEverything: boolean;
  readonly conversionType: string;
}

export interface Summed {
  readonly value: string | null;
  /** Of a ratio or a difference: the two figures that it is made of. */
  readonly parts: { field: ReportField; value: string | null }[];
  readonly rest: {
    readonly row_count: number;
    readonly contributes: string;
    readonly exclusions: { reason: string; count: number; meaning: string }[];
  };
}

type Services = Pick<Context, 'signal'> & ReportServices;

/** A figure, worked out from the very rows that the report adds up. */
export function sumFigure(field: ReportField, asked: Asked, services: Services): Promise<Summed> {
  const figure = figureOf(field);
  switch (figure.rows) {
    case 'conversions':
      return sumConversions(figure, asked, services);
    case 'delivery':
      return sumDelivery(figure, asked, services);
    case 'both':
      return sumDifference(figure, asked, services);
    case 'none':
      return sumRatio(figure, asked, services);
  }
}

/** The conversions that a figure is the sum of. */
export function wantedOf(figure: OfConversions, asked: Asked): Wanted {
  const { owner } = asked;
  return {
    ...asked,
    period: asked.delivery.period,
    owner: owner && { name: owner.name, owners: (figure.owners ?? owner.owners) as Owner['owners'] },
    ...conversionsCounted(figure, asked),
  };
}

async function sumConversions(figure: OfConversions, asked: Asked, { clickhouse, signal }: Services): Promise<Summed> {
  const { currency } = asked.delivery.period;
  const [row] = await clickhouse.query('report_sum_credits', parametersOf(wantedOf(figure, asked)), { signal });
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

export const deliveryParameters = (field: DeliveryColumn, asked: Asked) => ({
  ...asked.delivery.parameters,
  // All that was spent is what campaigns cost, and what belongs to none that is known; so it is of a platform.
  level: asked.isEverything || asked.owner ? 'campaign' : asked.level,
  field,
  is_everything: asked.isEverything || asked.owner !== undefined,
  entity_id: asked.entityId,
  platform: asked.accounts ? '' : (asked.owner?.name ?? ''),
  scope: asked.accounts ? ('account' as const) : ('all' as const),
  ...(asked.accounts && { accounts: asked.accounts }),
});

/** Nothing is spent on what nobody earned. */
export const isNobodys = ({ isEverything, owner, entityId }: Asked): boolean =>
  !isEverything && owner === undefined && entityId === nilUuid;

async function sumDelivery(
  { column }: Extract<Sum, { readonly rows: 'delivery' }>,
  asked: Asked,
  { clickhouse, signal }: Services,
): Promise<Summed> {
  const { currency } = asked.delivery.period;
  const rows = isNobodys(asked)
    ? []
    : await clickhouse.query('delivery_sum_counted', deliveryParameters(column, asked), { signal });
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

type Made<Rows extends string> = Extract<ReturnType<typeof figureOf>, { readonly rows: Rows }>;

async function sumParts({ parts }: Made<'both'> | Made<'none'>, asked: Asked, services: Services) {
  const [first, second] = await Promise.all([
    sumFigure(parts[0], asked, services),
    sumFigure(parts[1], asked, services),
  ]);
  const shown = [
    { field: parts[0], value: first.value },
    { field: parts[1], value: second.value },
  ];
  return { first, second, parts: shown, exclusions: [...first.rest.exclusions, ...second.rest.exclusions] };
}

async function sumDifference(figure: Made<'both'>, asked: Asked, services: Services): Promise<Summed> {
  const { first, second, parts, exclusions } = await sumParts(figure, asked, services);
  const { currency } = asked.delivery.period;
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

/** A ratio has no rows of its own: whoever asks for its parts sees theirs. */
async function sumRatio(figure: Made<'none'>, asked: Asked, services: Services): Promise<Summed> {
  const { first, second, parts, exclusions } = await sumParts(figure, asked, services);
  const { isCost, times } = figure;
  const value = isCost
    ? unitCost(first.value, second.value, asked.delivery.period.currency, times)
    : ratio(first.value, second.value, times);
  return {
    value: value === null ? null : plainDecimal(value),
    parts,
    rest: { row_count: 0, contributes: '0', exclusions },
  };
}

const withoutRate = (count: string, meaning: string) =>
  count === '0' ? [] : [{ reason: 'no_exchange_rate', count: Number(count), meaning }];

/** A number without an exponent. */
export function plainDecimal(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(20).replace(/\.?0+$/, '') : text;
}
