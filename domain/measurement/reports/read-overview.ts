import type { Row } from '@tributary/clickhouse';
import type { AnswerOf, Input, Routes } from '@tributary/contract';
import { answer } from '@tributary/operations';
import { ratio, sumAmounts, unitCost } from '@tributary/rules';
import { cashOf, cost, credit, spendOf } from './figures.ts';
import { daysOfRange, readDeliveryPeriod } from './period.ts';
import type { ReportContext } from './services.ts';

type Overview = Routes['readOverview'];

export async function readOverview({ query }: Input<Overview>, context: ReportContext): Promise<AnswerOf<Overview>> {
  const { date_from, date_to } = query;
  const { clickhouse, signal } = context;
  const { period, parameters } = await readDeliveryPeriod(query, context);
  const { profileId, from, until, currency, timeZone, moment } = period;
  const conversions = { profile_id: profileId, time_zone: timeZone, from, until, ...moment };
  const [counted, delivered] = await Promise.all([
    clickhouse.query('report_read_overview', conversions, { signal }),
    clickhouse.query('delivery_list_days', { ...parameters, level: 'campaign', entity_ids: [] }, { signal }),
  ]);
  const ofDays = counted.filter(({ is_of_day }) => is_of_day === 1);
  const byDay = Map.groupBy(ofDays, ({ day }) => day);
  const byDate = new Map(delivered.map((row) => [row.day, row]));
  const converted = delivered.filter(({ is_spend_unknown }) => !is_spend_unknown);
  const isUnknown = converted.length < delivered.length && converted.every(({ spend }) => Number(spend) === 0);
  const spend = isUnknown ? null : cost(sumAmounts(converted.map((row) => row.spend)), currency);
  const total = { spend, ...sumsOf(ofDays, currency) };
  return answer(200, {
    data: {
      totals: {
        ...total,
        roas: ratio(total.outcome_value, total.spend),
        cac: unitCost(total.spend, total.outcome_count, currency),
        outcomes_by_type: Object.fromEntries(
          [...Map.groupBy(ofDays, ({ conversion_type }) => conversion_type)].map(([type, rows]) => [
            type,
            sumsOf(rows, currency).attributed_outcome_count,
          ]),
        ),
      },
      days: daysOfRange(query).map((date) => ({
        date,
        spend: spendOf(byDate.get(date) ?? noDelivery, currency),
        ...sumsOf(byDay.get(date) ?? [], currency),
      })),
      channels: counted
        .filter(({ is_of_day }) => is_of_day === 0)
        .map((row) => ({ channel: row.channel, ...sumsOf([row], currency) }))
        .sort((a, b) => (b.outcome_value ?? 0) - (a.outcome_value ?? 0) || (a.channel < b.channel ? -1 : 1)),
    },
    meta: { date_from, date_to, ...period.about, time_zone: timeZone },
  });
}

const noDelivery = { spend: '0', is_spend_unknown: 0 };

function sumsOf(rows: readonly Row<'report_read_overview'>[], currency: string) {
  const sum = (figure: 'conversions' | 'payments' | 'value' | 'valued') =>
    rows.reduce((total, row) => total + BigInt(row[figure]), 0n);
  const value = cashOf({ payments: `${sum('payments')}`, value: `${sum('value')}`, valued: `${sum('valued')}` });
  return {
    outcome_count: Number(sum('payments')),
    outcome_value: value === null ? null : credit(value, currency),
    attributed_outcome_count: Number(sum('conversions')),
  };
}
