import type { AttributionModel, EntityLevel } from '@tributary/contract';
import type { Context } from '@tributary/operations';
import { fromMinorUnits } from '@tributary/rules';
import { nilUuid, type SummedField } from '@tributary/vocabulary';
import { parametersOf } from './conversion-page.ts';
import { conversionsCounted, explainedFigures } from './explained-figure.ts';
import { costText } from './figures.ts';
import type { DeliveryPeriod } from './period.ts';
import type { ReportServices } from './services.ts';

/** Whose figure, of which days, under which model. */
export interface Asked {
  readonly delivery: DeliveryPeriod;
  readonly level: EntityLevel;
  readonly model: AttributionModel;
  readonly entityId: string;
  readonly isEverything: boolean;
  readonly conversionType: string;
}

export interface Summed {
  readonly value: string | null;
  readonly rest: {
    readonly row_count: number;
    readonly contributes: string;
    readonly exclusions: { reason: string; count: number; meaning: string }[];
  };
}

type Services = Pick<Context, 'signal'> & ReportServices;

/** A figure, worked out from the very rows that the report adds up. */
export function sumFigure(field: SummedField, asked: Asked, services: Services): Promise<Summed> {
  return explainedFigures[field].rows === 'delivery'
    ? sumDelivery(field, asked, services)
    : sumConversions(field, asked, services);
}

async function sumConversions(field: SummedField, asked: Asked, { clickhouse, signal }: Services): Promise<Summed> {
  const { period } = asked.delivery;
  const wanted = { ...asked, period, ...conversionsCounted(field, asked.entityId) };
  const [row] = await clickhouse.query('report_sum_credits', parametersOf(wanted), { signal });
  const { conversions = '0', credit = '0', without_rate = '0' } = row ?? {};
  const sum = field === 'outcome_value' ? fromMinorUnits(BigInt(credit), period.currency) : conversions;
  const isUnknown = field === 'outcome_value' && conversions !== '0' && conversions === without_rate;
  return {
    value: isUnknown ? null : sum,
    rest: {
      row_count: Number(conversions),
      contributes: sum,
      exclusions:
        field === 'outcome_value'
          ? withoutRate(without_rate, 'Conversions whose currency has no exchange rate: they count, and add no value.')
          : [],
    },
  };
}

export const deliveryParameters = (field: string, asked: Asked) => ({
  ...asked.delivery.parameters,
  // All that was spent is what campaigns cost, and what belongs to none that is known.
  level: asked.isEverything ? 'campaign' : asked.level,
  field,
  is_everything: asked.isEverything,
  entity_id: asked.entityId,
});

async function sumDelivery(field: SummedField, asked: Asked, { clickhouse, signal }: Services): Promise<Summed> {
  const { currency } = asked.delivery.period;
  // Nothing is spent on what nobody earned.
  const isNobodys = !asked.isEverything && asked.entityId === nilUuid;
  const rows = isNobodys
    ? []
    : await clickhouse.query('delivery_sum_counted', deliveryParameters(field, asked), { signal });
  const { days = '0', contributes = null, without_rate = '0', with_rate = '0' } = rows[0] ?? {};
  const amount = contributes ?? (field === 'spend' ? '0' : null);
  const isMoney = explainedFigures[field].unit === 'money';
  const isUnknown = amount === null || (without_rate !== '0' && with_rate === '0');
  return {
    value: isUnknown ? null : isMoney ? costText(amount, currency) : amount,
    rest: {
      row_count: Number(days),
      contributes: amount ?? '0',
      exclusions: withoutRate(without_rate, 'Days whose currency has no exchange rate yet: they add nothing.'),
    },
  };
}

const withoutRate = (count: string, meaning: string) =>
  count === '0' ? [] : [{ reason: 'no_exchange_rate', count: Number(count), meaning }];

/** A number without an exponent. */
export function plainDecimal(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(20).replace(/\.?0+$/, '') : text;
}
