import { dayMs, limits, type WebhookDisabledReason } from '@tributary/vocabulary';

/** How a receiver has fared lately. */
export interface Standing {
  readonly consecutiveFailures: number;
  /** The first failure since something last went through. */
  readonly failingSince: Date | null;
  /** Nothing is sent before. */
  readonly pausedUntil: Date | null;
}

/** What became of one attempt. */
export type Verdict =
  | { readonly isDelivered: true }
  | {
      readonly isDelivered: false;
      readonly isGone?: boolean;
      /** What a receiver that has too much to do asked for. */
      readonly patienceSeconds?: number | undefined;
    };

/** So many failures in a row say that the receiver is away: from then on one delivery at a time tries whether it is back. */
export const awayAfter = 20;
const firstPauseSeconds = 5;
const longestPauseSeconds = 300;
const longestPatienceSeconds = 3_600;

export const isAway = ({ consecutiveFailures }: Standing): boolean => consecutiveFailures >= awayAfter;

/**
 * Where a receiver stands after attempts, in the order in which they ended. One that is away is tried with one delivery every few minutes:
 * a day's deliveries would otherwise each wait for it, ten times.
 */
export function standingAfter(
  before: Standing,
  verdicts: readonly Verdict[],
  now: Date,
): Standing & { readonly disabled?: WebhookDisabledReason } {
  let { consecutiveFailures, failingSince } = before;
  let [isGone, patienceSeconds] = [false, 0];
  for (const verdict of verdicts) {
    if (verdict.isDelivered) {
      [consecutiveFailures, failingSince] = [0, null];
      continue;
    }
    consecutiveFailures += 1;
    failingSince ??= now;
    isGone ||= verdict.isGone ?? false;
    patienceSeconds = Math.max(patienceSeconds, verdict.patienceSeconds ?? 0);
  }
  // Those that were under way when it turned out to be away say nothing more: what counts from there on are the tries.
  if (before.consecutiveFailures < awayAfter) consecutiveFailures = Math.min(consecutiveFailures, awayAfter);
  const pauseSeconds = Math.max(pauseAfter(consecutiveFailures), Math.min(patienceSeconds, longestPatienceSeconds));
  const pausedUntil = pauseSeconds > 0 ? new Date(now.getTime() + pauseSeconds * 1_000) : null;
  const isTooLong =
    failingSince !== null && now.getTime() - failingSince.getTime() >= limits.webhooks.disabledAfterDays * dayMs;
  const standing = { consecutiveFailures, failingSince, pausedUntil };
  if (isGone) return { ...standing, disabled: 'gone' };
  return isTooLong ? { ...standing, disabled: 'failing' } : standing;
}

const pauseAfter = (failures: number): number =>
  failures < awayAfter ? 0 : Math.min(longestPauseSeconds, firstPauseSeconds * 2 ** Math.min(20, failures - awayAfter));
