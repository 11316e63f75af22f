import type { AttributionModel, EntityLevel } from '@tributary/contract';
import { findClosing } from './closings-store.ts';
import { credit } from './figures.ts';
import { readPeriod } from './period.ts';
import type { Reading } from './services.ts';

interface Asked {
  readonly date_from: string;
  readonly date_to: string;
  readonly as_of?: string | undefined;
  readonly level: EntityLevel;
  readonly model: AttributionModel;
}

/** The last day of a month that is written YYYY-MM. */
export const lastDayOf = (month: string): string => {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
};

/** Where the days are a month that was closed: what some entities were credited with then. Undefined: they are not, or another moment is asked for. */
export async function readClosedValues(
  { level, model, ...asked }: Asked,
  entityIds: readonly string[],
  context: Reading,
): Promise<{ readonly closed: { closed_as_of: string }; valueOf(entityId: string): number } | undefined> {
  const month = asked.date_from.slice(0, 7);
  if (asked.as_of !== undefined || asked.date_from !== `${month}-01` || asked.date_to !== lastDayOf(month))
    return undefined;
  const { caller, ledger, clickhouse, signal } = context;
  const closing = await ledger.transaction((tx) => findClosing(tx, caller.profileId, month), { readOnly: true });
  if (!closing) return undefined;
  const as_of = closing.markAt.toISOString();
  const { profileId, from, until, currency, moment } = await readPeriod({ ...asked, as_of }, context);
  const rows = await clickhouse.query(
    'report_list_values',
    { profile_id: profileId, level, model, from, until, owners: 'entities', entity_ids: entityIds, ...moment },
    { signal },
  );
  const values = new Map(rows.map(({ entity_id, value }) => [entity_id, credit(value, currency)]));
  return { closed: { closed_as_of: as_of }, valueOf: (entityId) => values.get(entityId) ?? 0 };
}

/** What a figure of a closed month says besides. */
export const sinceClosed = (closedValue: number, value: number | null) => ({
  closed_value: closedValue,
  changed_since: closedValue !== (value ?? 0),
});
