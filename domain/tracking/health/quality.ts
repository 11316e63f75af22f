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

/** Visits that are not in ClickHouse, and why. */
export interface ReasonedVisits {
  readonly day: string;
  readonly reason: string;
  readonly visits: number;
}

export interface Quality {
  readonly accepted: number;
  readonly bots: number;
  readonly bad: number;
  readonly bad_by_reason: Record<string, number>;
  readonly refused: number;
  readonly refused_by_reason: Record<string, number>;
  readonly unmatched: number;
}

/** A row for every day of the period, also for those that brought nothing. */
export function qualityByDay(
  firstDay: string,
  lastDay: string,
  visits: readonly DayOfVisits[],
  bad: readonly ReasonedVisits[],
  refused: readonly ReasonedVisits[],
): ({ date: string } & Quality)[] {
  const visitsOf = new Map(visits.map((row) => [row.day, row]));
  const badOf = Map.groupBy(bad, (row) => row.day);
  const refusedOf = Map.groupBy(refused, (row) => row.day);
  return daysOf(firstDay, lastDay).map((date) => ({
    date,
    ...qualityOf(visitsOf.get(date), badOf.get(date) ?? [], refusedOf.get(date) ?? []),
  }));
}

function qualityOf(
  day: DayOfVisits | undefined,
  bad: readonly ReasonedVisits[],
  refused: readonly ReasonedVisits[],
): Quality {
  const { visits = 0, bots = 0, sampled = 0, sampledUnmatched = 0 } = day ?? {};
  const badByReason = Object.fromEntries(bad.map((row) => [row.reason, row.visits]));
  const refusedByReason = Object.fromEntries(refused.map((row) => [row.reason, row.visits]));
  return {
    accepted: visits,
    bots,
    bad: sumOf(badByReason),
    bad_by_reason: badByReason,
    refused: sumOf(refusedByReason),
    refused_by_reason: refusedByReason,
    // Where every browser was looked at, this is exact.
    unmatched: sampled === 0 ? 0 : Math.round(((visits - bots) * sampledUnmatched) / sampled),
  };
}

export function totalQuality(days: readonly Quality[]): Quality {
  const sum = (figure: 'accepted' | 'bots' | 'bad' | 'refused' | 'unmatched') =>
    days.reduce((total, day) => total + day[figure], 0);
  return {
    accepted: sum('accepted'),
    bots: sum('bots'),
    bad: sum('bad'),
    bad_by_reason: addUp(days.map((day) => day.bad_by_reason)),
    refused: sum('refused'),
    refused_by_reason: addUp(days.map((day) => day.refused_by_reason)),
    unmatched: sum('unmatched'),
  };
}

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, visits) => sum + visits, 0);

function addUp(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const counts of all)
    for (const [reason, visits] of Object.entries(counts)) total[reason] = (total[reason] ?? 0) + visits;
  return total;
}

const silentAfterMs = limits.tracking.silentAfterHours * hourMs;

/** When the last visit came, if that is too long ago. */
export function silentSince(lastVisitAt: string | null, now: Date): string | null {
  return lastVisitAt !== null && now.getTime() - Date.parse(lastVisitAt) >= silentAfterMs ? lastVisitAt : null;
}
