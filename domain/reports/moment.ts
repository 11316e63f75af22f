import type { Moment } from '@tributary/clickhouse';
import { refuse } from '@tributary/operations';
import { dayMs, limits, minuteMs } from '@tributary/vocabulary';

/** What a caller named, if it is a moment that is remembered. */
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
 * The latest moment up to the asked one of which nothing more will become known: what workers are writing now is dated a little back, and
 * what waits to be copied was recorded before.
 */
export function settledMoment(asked: Date, waitingSince: Date | null, now: Date): Date {
  const newest =
    Math.min(now.getTime(), waitingSince?.getTime() ?? Infinity) - limits.asOf.settledAfterMinutes * minuteMs;
  return new Date(Math.min(asked.getTime(), newest));
}

export const stood = (asOf: Date, entitiesAsOf = asOf): Moment => ({
  moment: 'then',
  as_of: asOf,
  entities_as_of: entitiesAsOf,
});

export const momentOf = ({ moment }: { readonly moment: Moment }): Date | undefined =>
  moment.moment === 'then' ? moment.as_of : undefined;

const settled = { state: 'current', waiting_since: null } as const;

/** What a report as it stood says of itself is the same whenever it is asked for. The ledger does not remember which payments had no rate. */
export function periodThen(asOf: Date, currency: string) {
  return {
    moment: stood(asOf),
    about: {
      as_of: asOf.toISOString(),
      currency,
      exclusions: [],
      freshness: { attribution: settled, delivery: settled },
    },
  };
}
