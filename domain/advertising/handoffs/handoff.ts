import {
  type BounceStatus,
  type HandoffReason,
  type HandoffStatus,
  handoffReasons,
  limits,
  minuteMs,
} from '@tributary/vocabulary';

/** The rules of a hand-off's state. Pure: unsettled is read or written here. */

export interface Handoff {
  readonly status: string;
  readonly expiresAt: Date;
  /** When the consent in progress claimed the hand-off. */
  readonly claimedAt: Date | null;
  readonly reason: string | null;
  readonly candidateCount: number | null;
}

/**
 * - `open`: a consent may start or be finished.
 * - `finishing`: another consent is being finished.
 * - `lapsed`: expired.
 * - `completed`, `ended`: decided, with or without an account.
 */
export type Stage = 'open' | 'finishing' | 'lapsed' | 'completed' | 'ended';

export function getStage({ status, expiresAt, claimedAt, reason }: Handoff, now: Date): Stage {
  if (status === 'completed') return 'completed';
  if (status !== 'pending') return reason === 'handoff_expired' ? 'lapsed' : 'ended';
  // A consent that returned in time is finished, even if the hand-off expires meanwhile.
  if (claimedAt && claimedAt.getTime() + limits.handoff.partwayReuseMinutes * minuteMs > now.getTime())
    return 'finishing';
  return expiresAt <= now ? 'lapsed' : 'open';
}

/** The outcome that is sent to the caller's page. */
export interface BounceOutcome {
  readonly status: BounceStatus;
  readonly reason?: HandoffReason;
  readonly candidateCount?: number;
}

export const outcomeForReason = (reason: HandoffReason): BounceOutcome => ({
  status: handoffReasons[reason].status,
  reason,
});

/** The outcome shown to a user who opens the link or returns from the provider; undefined if the user may continue. */
export function getFinalOutcome(handoff: Handoff, now: Date): BounceOutcome | undefined {
  switch (getStage(handoff, now)) {
    case 'open':
      return undefined;
    case 'finishing':
    case 'ended':
      return outcomeForReason('handoff_used');
    case 'lapsed':
      return outcomeForReason('handoff_expired');
    case 'completed':
      return handoff.candidateCount === null
        ? { status: 'success' }
        : { status: 'pending_selection', candidateCount: handoff.candidateCount };
  }
}

/** How a consent ended. */
export type Ending =
  | { readonly connectionId: string }
  | { readonly candidateCount: number; readonly selectionExpiresAt: Date }
  | { readonly reason: HandoffReason };

export interface SettledHandoff {
  readonly status: Exclude<HandoffStatus, 'pending'>;
  readonly connectionId: string | null;
  readonly candidateCount: number | null;
  readonly selectionExpiresAt: Date | null;
  readonly reason: HandoffReason | null;
}

const unsettled = { connectionId: null, candidateCount: null, selectionExpiresAt: null, reason: null };

/** The stored result of an ending; undefined if it decides unsettled and the link can be used again. */
export function settle(ending: Ending): SettledHandoff | undefined {
  if ('connectionId' in ending) return { ...unsettled, status: 'completed', ...ending };
  if ('candidateCount' in ending) return { ...unsettled, status: 'completed', ...ending };
  const { status, seenOn } = handoffReasons[ending.reason];
  return seenOn === 'bounce' ? undefined : { ...unsettled, status, reason: ending.reason };
}

/** The outcome of an ending for the caller's page. */
export function outcomeForEnding(ending: Ending): BounceOutcome {
  if ('reason' in ending) return outcomeForReason(ending.reason);
  if ('connectionId' in ending) return { status: 'success' };
  return { status: 'pending_selection', candidateCount: ending.candidateCount };
}

export const getExpiry = (createdAt: Date): Date =>
  new Date(createdAt.getTime() + limits.handoff.lifeMinutes * minuteMs);
