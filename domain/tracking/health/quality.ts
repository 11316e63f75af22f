import { daysOf } from '@tributary/rules';
import { hourMs, limits } from '@tributary/vocabulary';

/** What a day brought, before it is shown. */
export interface DayOfVisits {
  readonly day: string;
  readonly visits: number;
  readonly bots: number;
  /** Of the browsers that were looked at: their visits, and those of nobody's browsers among them. */
  readonly sampled: number;
  readonly sampledUnmatched: number;
}

export interface BadVisits {
  readonly day: string;
  readonly reason: string;
  readonly visits: number;
}

export interface Quality {
  readonly accepted: number;
  readonly bots: number;
  readonly bad: number;
  readonly bad_by_reason: Record<string, number>;
  readonly unmatched: number;
}

/** A row for every day of the period, also for those that brought nothing. */
export function qualityByDay(
  firstDay: string,
  lastDay: string,
  visits: readonly DayOfVisits[],
  bad: readonly BadVisits[],
): ({ date: string } & Quality)[] {
  const visitsOf = new Map(visits.map((row) => [row.day, row]));
  const badOf = Map.groupBy(bad, (row) => row.day);
  return daysOf(firstDay, lastDay).map((date) => ({ date, ...qualityOf(visitsOf.get(date), badOf.get(date) ?? []) }));
}

function qualityOf(day: DayOfVisits | undefined, bad: readonly BadVisits[]): Quality {
  const { visits = 0, bots = 0, sampled = 0, sampledUnmatched = 0 } = day ?? {};
  const byReason: Record<string, number> = {};
  for (const row of bad) byReason[row.reason] = (byReason[row.reason] ?? 0) + row.visits;
  return {
    accepted: visits,
    bots,
    bad: bad.reduce((sum, row) => sum + row.visits, 0),
    bad_by_reason: byReason,
    // Where every browser was looked at, this is exact.
    unmatched: sampled === 0 ? 0 : Math.round(((visits - bots) * sampledUnmatched) / sampled),
  };
}

export function totalQuality(days: readonly Quality[]): Quality {
  const byReason: Record<string, number> = {};
  for (const day of days) {
    for (const [reason, visits] of Object.entries(day.bad_by_reason))
      byReason[reason] = (byReason[reason] ?? 0) + visits;
  }
  const sum = (figure: 'accepted' | 'bots' | 'bad' | 'unmatched') =>
    days.reduce((total, day) => total + day[figure], 0);
  return {
    accepted: sum('accepted'),
    bots: sum('bots'),
    bad: sum('bad'),
    bad_by_reason: byReason,
    unmatched: sum('unmatched'),
  };
}

const silentAfterMs = limits.tracking.silentAfterHours * hourMs;

/** When the last visit came, if that is too long ago. */
export function silentSince(lastVisitAt: string | null, now: Date): string | null {
  return lastVisitAt !== null && now.getTime() - Date.parse(lastVisitAt) >= silentAfterMs ? lastVisitAt : null;
}
