import { daysOf } from '@tributary/rules';
import { hourMs, limits } from '@tributary/vocabulary';

/** The visits of one day. */
export interface DayOfVisits {
  readonly day: string;
  readonly visits: number;
  readonly bots: number;
  /** The visits of the sampled browsers, and those of them without a linked customer. */
  readonly sampled: number;
  readonly sampledUnmatched: number;
}

/** Visits that were not stored in ClickHouse, by reason. */
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

/** Returns a row for every day of the period, including days without visits. */
export function qualityByDay(
  firstDay: string,
  lastDay: string,
  visits: readonly DayOfVisits[],
  bad: readonly ReasonedVisits[],
  refused: readonly ReasonedVisits[],
): ({ date: string } & Quality)[] {
  const visitsByDay = new Map(visits.map((row) => [row.day, row]));
  const badByDay = Map.groupBy(bad, (row) => row.day);
  const refusedByDay = Map.groupBy(refused, (row) => row.day);
  return daysOf(firstDay, lastDay).map((date) => ({
    date,
    ...toQuality(visitsByDay.get(date), badByDay.get(date) ?? [], refusedByDay.get(date) ?? []),
  }));
}

function toQuality(
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
    bad: sumCounts(badByReason),
    bad_by_reason: badByReason,
    refused: sumCounts(refusedByReason),
    refused_by_reason: refusedByReason,
    // Exact if all browsers were sampled.
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
    bad_by_reason: sumByReason(days.map((day) => day.bad_by_reason)),
    refused: sum('refused'),
    refused_by_reason: sumByReason(days.map((day) => day.refused_by_reason)),
    unmatched: sum('unmatched'),
  };
}

const sumCounts = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, visits) => sum + visits, 0);

function sumByReason(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const counts of all)
    for (const [reason, visits] of Object.entries(counts)) total[reason] = (total[reason] ?? 0) + visits;
  return total;
}

const silentAfterMs = limits.tracking.silentAfterHours * hourMs;

/** The time of the last visit, if it is too long ago. */
export function silentSince(lastVisitAt: string | null, now: Date): string | null {
  return lastVisitAt !== null && now.getTime() - Date.parse(lastVisitAt) >= silentAfterMs ? lastVisitAt : null;
}
