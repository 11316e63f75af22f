import type { AttributionModel, EntityLevel } from '@tributary/contract';
import { findClosing } from './closings-store.ts';
import { credit } from './figures.ts';
import { readPeriod } from './period.ts';
import type { ReportContext } from './services.ts';

interface ClosedValuesQuery {
  readonly date_from: string;
  readonly date_to: string;
  readonly as_of?: string | undefined;
  readonly level: EntityLevel;
  readonly model: AttributionModel;
}

/** The last day of a month given as YYYY-MM. */
export const lastDayOf = (month: string): string => {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
};

/**
 * Reads the values credited to entities when the month was closed. Undefined if the range is not a closed month or the caller sets `as_of`.
 */
export async function readClosedValues(
  { level, model, ...query }: ClosedValuesQuery,
  entityIds: readonly string[],
  context: ReportContext,
): Promise<{ readonly closed: { closed_as_of: string }; valueOf(entityId: string): number } | undefined> {
  const month = query.date_from.slice(0, 7);
  if (query.as_of !== undefined || query.date_from !== `${month}-01` || query.date_to !== lastDayOf(month))
    return undefined;
  const { caller, ledger, clickhouse, signal } = context;
  const closing = await ledger.transaction((tx) => findClosing(tx, caller.profileId, month), { readOnly: true });
  if (!closing) return undefined;
  const as_of = closing.markAt.toISOString();
  const { profileId, from, until, currency, moment } = await readPeriod({ ...query, as_of }, context);
  const rows = await clickhouse.query(
    'report_list_values',
    { profile_id: profileId, level, model, from, until, owners: 'entities', entity_ids: entityIds, ...moment },
    { signal },
  );
  const values = new Map(rows.map(({ entity_id, value }) => [entity_id, credit(value, currency)]));
  return { closed: { closed_as_of: as_of }, valueOf: (entityId) => values.get(entityId) ?? 0 };
}

/** Fields added to a figure of a closed month. */
export const sinceClosed = (closedValue: number, value: number | null) => ({
  closed_value: closedValue,
  changed_since: closedValue !== (value ?? 0),
});
