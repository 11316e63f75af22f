import type { Moment } from '@tributary/clickhouse';
import { refuse } from '@tributary/operations';
import { dayMs, limits, minuteMs } from '@tributary/vocabulary';

/** Parses a moment and refuses one in the future or beyond the retention of history. */
export function readMoment(text: string, now: Date, field = 'as_of'): Date {
  const moment = new Date(text);
  const { keptDays } = limits.asOf;
  if (moment > now)
    refuse('invalid_parameter', `The query parameter "${field}" lies in the future.`, { fields: { field } });
  if (now.getTime() - moment.getTime() > keptDays * dayMs)
    refuse('invalid_parameter', `The query parameter "${field}" is more than ${keptDays} days ago.`, {
      fields: { field },
    });
  return moment;
}

/**
 * The latest moment, up to the requested one, for which no more changes can arrive: workers date their rows a little back, and rows that
 * wait for the copy to ClickHouse were recorded earlier.
 */
export function settledMoment(requested: Date, waitingSince: Date | null, now: Date): Date {
  const newest =
    Math.min(now.getTime(), waitingSince?.getTime() ?? Infinity) - limits.asOf.settledAfterMinutes * minuteMs;
  return new Date(Math.min(requested.getTime(), newest));
}

export const momentAsOf = (asOf: Date, entitiesAsOf = asOf): Moment => ({
  moment: 'then',
  as_of: asOf,
  entities_as_of: entitiesAsOf,
});

export const momentOf = ({ moment }: { readonly moment: Moment }): Date | undefined =>
  moment.moment === 'then' ? moment.as_of : undefined;

const settled = { state: 'current', waiting_since: null } as const;

/**
 * Metadata of a report as of a past moment: it is the same on every request. The ledger keeps no history of payments without an exchange
 * rate.
 */
export function periodAsOf(asOf: Date, currency: string) {
  return {
    moment: momentAsOf(asOf),
    about: {
      as_of: asOf.toISOString(),
      currency,
      exclusions: [],
      freshness: { attribution: settled, delivery: settled },
    },
  };
}
