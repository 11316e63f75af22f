import {
  type BounceStatus,
  type HandoffReason,
  type HandoffStatus,
  handoffReasons,
  limits,
  minuteMs,
} from '@tributary/vocabulary';

/** What becomes of a hand-off, given what is known of it. Nothing is looked up or written here. */

export interface Handoff {
  readonly status: string;
  readonly expiresAt: Date;
  /** Since when a consent is being finished. */
  readonly claimedAt: Date | null;
  readonly reason: string | null;
  readonly candidateCount: number | null;
}

/**
 * - `open`: a consent may begin, or be used.
 * - `finishing`: another consent is being used at this moment.
 * - `lapsed`: its time is over.
 * - `completed`, `ended`: decided, with an account to show for it or without.
 */
export type Stage = 'open' | 'finishing' | 'lapsed' | 'completed' | 'ended';

export function stageOf({ status, expiresAt, claimedAt, reason }: Handoff, now: Date): Stage {
  if (status === 'completed') return 'completed';
  if (status !== 'pending') return reason === 'handoff_expired' ? 'lapsed' : 'ended';
  // A consent that came in time is finished, also when the time runs out meanwhile.
  if (claimedAt && claimedAt.getTime() + limits.handoff.partwayReuseMinutes * minuteMs > now.getTime())
    return 'finishing';
  return expiresAt <= now ? 'lapsed' : 'open';
}

/** What the caller's page is told. */
export interface Told {
  readonly status: BounceStatus;
  readonly reason?: HandoffReason;
  readonly candidateCount?: number;
}

export const toldOf = (reason: HandoffReason): Told => ({ status: handoffReasons[reason].status, reason });

/** What somebody who comes with the link, or back from the provider, is told; undefined: they may go on. */
export function answerTo(handoff: Handoff, now: Date): Told | undefined {
  switch (stageOf(handoff, now)) {
    case 'open':
      return undefined;
    case 'finishing':
    case 'ended':
      return toldOf('handoff_used');
    case 'lapsed':
      return toldOf('handoff_expired');
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

export interface Settled {
  readonly status: Exclude<HandoffStatus, 'pending'>;
  readonly connectionId: string | null;
  readonly candidateCount: number | null;
  readonly selectionExpiresAt: Date | null;
  readonly reason: HandoffReason | null;
}

const nothing = { connectionId: null, candidateCount: null, selectionExpiresAt: null, reason: null };

/** What is written of an ending; undefined: it decides nothing, and the link can be used again. */
export function settle(ending: Ending): Settled | undefined {
  if ('connectionId' in ending) return { ...nothing, status: 'completed', ...ending };
  if ('candidateCount' in ending) return { ...nothing, status: 'completed', ...ending };
  const { status, seenOn } = handoffReasons[ending.reason];
  return seenOn === 'bounce' ? undefined : { ...nothing, status, reason: ending.reason };
}

/** What the caller's page is told of an ending. */
export function toldOfEnding(ending: Ending): Told {
  if ('reason' in ending) return toldOf(ending.reason);
  if ('connectionId' in ending) return { status: 'success' };
  return { status: 'pending_selection', candidateCount: ending.candidateCount };
}

export const expiryOf = (createdAt: Date): Date =>
  new Date(createdAt.getTime() + limits.handoff.lifeMinutes * minuteMs);
