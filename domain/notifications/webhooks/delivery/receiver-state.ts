import { dayMs, limits, type WebhookDisabledReason } from '@tributary/vocabulary';

/** The recent health of a receiver. */
export interface ReceiverState {
  readonly consecutiveFailures: number;
  /** Time of the first failure since the last success. */
  readonly failingSince: Date | null;
  /** No delivery is sent before this time. */
  readonly pausedUntil: Date | null;
}

/** The result of one attempt. */
export type Verdict =
  | { readonly isDelivered: true }
  | {
      readonly isDelivered: false;
      readonly isGone?: boolean;
      /** The wait that an overloaded receiver requested. */
      readonly patienceSeconds?: number | undefined;
    };

/** After this many consecutive failures the receiver counts as unavailable and is probed with one delivery at a time. */
export const unavailableAfter = 20;
const firstPauseSeconds = 5;
const maxPauseSeconds = 300;
const maxRequestedPauseSeconds = 3_600;

export const isUnavailable = ({ consecutiveFailures }: ReceiverState): boolean =>
  consecutiveFailures >= unavailableAfter;

/**
 * The state of a receiver after attempts, in the order in which they ended. An unavailable receiver is probed with one delivery every few
 * minutes; otherwise every waiting delivery would wait for it up to ten times.
 */
export function nextReceiverState(
  before: ReceiverState,
  verdicts: readonly Verdict[],
  now: Date,
): ReceiverState & { readonly disabled?: WebhookDisabledReason } {
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
  // Failures of requests that were in flight when the limit was reached do not count; from there on only probes do.
  if (before.consecutiveFailures < unavailableAfter)
    consecutiveFailures = Math.min(consecutiveFailures, unavailableAfter);
  const pauseSeconds = Math.max(pauseAfter(consecutiveFailures), Math.min(patienceSeconds, maxRequestedPauseSeconds));
  const pausedUntil = pauseSeconds > 0 ? new Date(now.getTime() + pauseSeconds * 1_000) : null;
  const isTooLong =
    failingSince !== null && now.getTime() - failingSince.getTime() >= limits.webhooks.disabledAfterDays * dayMs;
  const state = { consecutiveFailures, failingSince, pausedUntil };
  if (isGone) return { ...state, disabled: 'gone' };
  return isTooLong ? { ...state, disabled: 'failing' } : state;
}

const pauseAfter = (failures: number): number =>
  failures < unavailableAfter
    ? 0
    : Math.min(maxPauseSeconds, firstPauseSeconds * 2 ** Math.min(20, failures - unavailableAfter));
