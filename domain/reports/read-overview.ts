import type { Row } from '@tributary/clickhouse';
import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { sumAmounts } from '@tributary/rules';
import { cost, credit, ratio } from './figures.ts';
import { daysOfRange, readDeliveryPeriod } from './period.ts';
import type { ReportServices } from './services.ts';

export const readOverview: Handles<Routes['readOverview'], ReportServices> = async ({ query }, context) => {
  const { date_from, date_to } = query;
  const { clickhouse, signal } = context;
  const { period, parameters } = await readDeliveryPeriod(query, context);
  const { profileId, from, until, currency, timeZone } = period;
  const [counted, delivered] = await Promise.all([
    clickhouse.query('report_read_overview', { profile_id: profileId, time_zone: timeZone, from, until }, { signal }),
    clickhouse.query('delivery_list_days', { ...parameters, level: 'campaign', entity_ids: [] }, { signal }),
  ]);
  const ofDays = counted.filter(({ is_of_day }) => is_of_day === 1);
  const byDay = Map.groupBy(ofDays, ({ day }) => day);
  const spendOf = new Map(delivered.map(({ day, spend }) => [day, spend]));
  const total = { spend: cost(sumAmounts([...spendOf.values()]), currency), ...sumsOf(ofDays, currency) };
  return answer(200, {
    data: {
      totals: {
        ...total,
        roas: ratio(total.outcome_value, total.spend),
        cac: ratio(total.spend, total.outcome_count),
        outcomes_by_type: Object.fromEntries(
          [...Map.groupBy(ofDays, ({ conversion_type }) => conversion_type)].map(([type, rows]) => [
            type,
            sumsOf(rows, currency).attributed_outcome_count,
          ]),
        ),
      },
      days: daysOfRange(query).map((date) => ({
        date,
        spend: cost(spendOf.get(date) ?? '0', currency),
        ...sumsOf(byDay.get(date) ?? [], currency),
      })),
      channels: counted
        .filter(({ is_of_day }) => is_of_day === 0)
        .map((row) => ({ channel: row.channel, ...sumsOf([row], currency) }))
        .sort((a, b) => b.outcome_value - a.outcome_value || (a.channel < b.channel ? -1 : 1)),
    },
    meta: { date_from, date_to, currency, time_zone: timeZone },
  });
};

function sumsOf(rows: readonly Row<'report_read_overview'>[], currency: string) {
  const sum = (figure: 'conversions' | 'payments' | 'value') =>
    rows.reduce((total, row) => total + BigInt(row[figure]), 0n);
  return {
    outcome_count: Number(sum('payments')),
    outcome_value: credit(sum('value'), currency),
    attributed_outcome_count: Number(sum('conversions')),
  };
}
