import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { nilUuid } from '@tributary/vocabulary';
import { readClosedValues, sinceClosed } from './closed-month.ts';
import { outcomesOf } from './figures.ts';
import { readPeriod } from './period.ts';
import type { ReportServices } from './services.ts';

export const readUnattributed: Handles<Routes['readUnattributed'], ReportServices> = async ({ query }, context) => {
  const { level, model, date_from, date_to } = query;
  const { profileId, from, until, currency, moment, about } = await readPeriod(query, context);
  const types = await context.clickhouse.query(
    'report_read_unattributed',
    { profile_id: profileId, level, model, from, until, owners: 'entities', ...moment },
    { signal: context.signal },
  );
  const sum = (figure: Exclude<keyof (typeof types)[number], 'conversion_type'>) =>
    String(types.reduce((total, type) => total + BigInt(type[figure]), 0n));
  const earned = {
    conversions: sum('conversions'),
    payments: sum('payments'),
    first_payments: sum('first_payments'),
    value: sum('value'),
    valued: sum('valued'),
  };
  const byType = types
    .filter(({ conversions }) => conversions !== '0')
    .map(({ conversion_type, conversions }) => [conversion_type, conversions] as const);
  const outcomes = outcomesOf(earned, byType, currency);
  const closed = await readClosedValues(query, [nilUuid], context);
  return answer(200, {
    data: {
      entity_level: level,
      ...outcomes,
      ...(closed && sinceClosed(closed.valueOf(nilUuid), outcomes.outcome_value)),
      partly_credited_count: Number(sum('partly_credited')),
    },
    meta: { date_from, date_to, model, ...about, ...closed?.closed },
  });
};
