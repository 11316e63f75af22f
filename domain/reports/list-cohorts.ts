import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { nilUuid } from '@tributary/vocabulary';
import { nameOf } from './campaign-row.ts';
import { isId, readCursor, writeCursor } from './cursor.ts';
import { creditText } from './figures.ts';
import { readPeriod } from './period.ts';
import type { ReportServices } from './services.ts';

export const listCohorts: Handles<Routes['listCohorts'], ReportServices> = async ({ query }, context) => {
  const { level, model, limit, cursor, date_from, date_to } = query;
  const place = cursor === undefined ? { after_month: '', after_id: '' } : readPlace(cursor);
  const { profileId, from, until, currency, timeZone, moment } = await readPeriod({ date_from, date_to }, context);
  const asked = { profile_id: profileId, level, model, from, until, owners: 'entities', time_zone: timeZone } as const;
  const found = await context.clickhouse.query(
    'cohort_list',
    { ...asked, ...moment, ...place, limit: limit + 1 },
    { signal: context.signal },
  );
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return answer(200, {
    data: rows.map((row) => ({
      month: row.month,
      entity_id: row.entity_id === nilUuid ? null : row.entity_id,
      name: nameOf(row.name, row.external_id) ?? null,
      customers: Number(row.customers),
      value: creditText(row.total, currency),
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

function readPlace(cursor: string) {
  const [after_month, after_id] = readCursor(cursor, [(text) => /^\d{4}-\d\d$/.test(text), isId]);
  return { after_month, after_id };
}
