import type { Row } from '@tributary/clickhouse';
import type { EntityLevel, Routes } from '@tributary/contract';
import { answer, type Handles, type ProfileContext } from '@tributary/operations';
import { sumAmounts, toMinorUnits } from '@tributary/rules';
import { nilUuid } from '@tributary/vocabulary';
import { nameOf } from './campaign-row.ts';
import { isId, readCursor, writeCursor } from './cursor.ts';
import { costText, creditText } from './figures.ts';
import { type DeliveryPeriod, readDeliveryPeriod } from './period.ts';
import type { ReportServices } from './services.ts';

export const listCohorts: Handles<Routes['listCohorts'], ReportServices> = async ({ query }, context) => {
  const { level, model, limit, cursor, date_from, date_to } = query;
  const position = cursor === undefined ? { after_month: '', after_id: '' } : parseCursor(cursor);
  const delivery = await readDeliveryPeriod({ date_from, date_to }, context);
  const { profileId, from, until, currency, timeZone, moment } = delivery.period;
  const parameters = {
    profile_id: profileId,
    level,
    model,
    from,
    until,
    owners: 'entities',
    time_zone: timeZone,
  } as const;
  const found = await context.clickhouse.query(
    'cohort_list',
    { ...parameters, ...moment, ...position, limit: limit + 1 },
    { signal: context.signal },
  );
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const spent = await sumSpend(delivery, level, rows, context);
  return answer(200, {
    data: rows.map((row) => ({
      month: row.month,
      entity_id: row.entity_id === nilUuid ? null : row.entity_id,
      name: nameOf(row.name, row.external_id) ?? null,
      customers: Number(row.customers),
      value: creditText(row.total, currency),
      ...paidBack(row, spent(row), currency),
      months: row.months.map(([month, customers, payments, value]) => ({
        month,
        customers: Number(customers),
        payments: Number(payments),
        value: creditText(value, currency),
      })),
    })),
    pagination: { has_next: found.length > limit, cursor: last ? writeCursor(last.month, last.entity_id) : null },
    meta: { date_from, date_to, currency, model, level, time_zone: timeZone },
  });
};

type Cohort = Row<'cohort_list'>;

/** Sums what the entities of each cohort cost in its month, within the requested days. Null when none of it could be converted. */
async function sumSpend(
  { parameters, period }: DeliveryPeriod,
  level: EntityLevel,
  cohorts: readonly Cohort[],
  { clickhouse, signal }: Pick<ProfileContext, 'signal'> & ReportServices,
): Promise<(cohort: Cohort) => string | null> {
  const ids = [...new Set(cohorts.map(({ entity_id }) => entity_id))].filter((id) => id !== nilUuid);
  const days =
    ids.length === 0
      ? []
      : await clickhouse.query('delivery_list_days', { ...parameters, level, entity_ids: ids }, { signal });
  const byMonth = Map.groupBy(days, ({ entity_id, day }) => `${entity_id} ${day.slice(0, 7)}`);
  return ({ entity_id, month }) => {
    if (entity_id === nilUuid) return null;
    const rows = byMonth.get(`${entity_id} ${month}`) ?? [];
    const isUnknown = rows.length > 0 && rows.every(({ is_spend_unknown }) => is_spend_unknown === 1);
    return isUnknown ? null : costText(sumAmounts(rows.map(({ spend }) => spend)), period.currency);
  };
}

/** The first month by whose end the cohort's payments cover its spend. */
function paidBack({ month: first, months }: Cohort, spend: string | null, currency: string) {
  if (spend === null) return { spend, payback_months: null };
  const needed = toMinorUnits(spend, currency);
  let paid = 0n;
  for (const [month, , , value] of months) {
    paid += BigInt(value);
    if (paid >= needed) return { spend, payback_months: monthsBetween(first, month) };
  }
  return { spend, payback_months: null };
}

const monthsBetween = (from: string, to: string): number => {
  const count = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5));
  return count(to) - count(from);
};

function parseCursor(cursor: string) {
  const [after_month, after_id] = readCursor(cursor, [(text) => /^\d{4}-\d\d$/.test(text), isId]);
  return { after_month, after_id };
}
