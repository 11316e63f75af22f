import { type Lane, OutboundFailed, OutboundRefused, type Sending } from '@tributary/outbound';
import { limits } from '@tributary/vocabulary';
import { nextAttemptAt, readRetryAfter } from './schedule.ts';
import type { KeptAttempt } from './show-delivery.ts';
import type { Verdict } from './standing.ts';
import type { Settled } from './turn-store.ts';

/** What one attempt came to. */
export interface Attempted {
  readonly code?: number;
  /** Absent where it went through. */
  readonly fault?: string;
  readonly retryAfterSeconds?: number | undefined;
  readonly ms: number;
}

/** The answers with which a receiver asks for patience with all that comes. */
const tooMuch: readonly number[] = [429, 503];
const gone = 410;

/**
 * Waits for the answer to what was sent. Undefined: the connection had carried others and was at its end; that says nothing of
 * the receiver, and the delivery is tried again on another.
 */
export async function attempted(lane: Lane, sending: Sending, since: number, at: Date): Promise<Attempted | undefined> {
  const ms = () => Math.round(performance.now() - since);
  try {
    const { status: code, headers } = await sending.answer;
    if (code >= 200 && code < 300) return { code, ms: ms() };
    return { code, fault: 'http_status', retryAfterSeconds: readRetryAfter(headers['retry-after'], at), ms: ms() };
  } catch (error) {
    const fault = faultOf(error);
    return lane.isUsed && fault === 'no_valid_response' ? undefined : { fault, ms: ms() };
  }
}

/** A reason that a tenant may read. What is neither refused nor failed on the way is a fault of ours. */
export function faultOf(error: unknown): string {
  if (error instanceof OutboundRefused || error instanceof OutboundFailed) return error.reason;
  throw error;
}

export const verdictOf = ({ fault, code = 0, retryAfterSeconds }: Attempted): Verdict =>
  fault === undefined
    ? { isDelivered: true }
    : {
        isDelivered: false,
        isGone: code === gone,
        patienceSeconds: tooMuch.includes(code) ? retryAfterSeconds : undefined,
      };

interface Before {
  readonly id: string;
  readonly attempts: number;
  readonly attempt_log: unknown;
}

/** The delivery after an attempt. */
export function settledBy(before: Before, attempt: Attempted, at: Date, random: number): Settled {
  const { code, fault, ms, retryAfterSeconds } = attempt;
  const kept: KeptAttempt = { at: at.toISOString(), ...(code && { code }), ...(fault && { fault }), ms };
  const attempts = before.attempts + 1;
  const log = [...(before.attempt_log as KeptAttempt[]), kept].slice(-limits.webhookDeliveries.attemptsShown);
  const base = { id: before.id, attempts, log };
  if (fault === undefined) return { ...base, status: 'delivered', dueAt: null };
  const dueAt = nextAttemptAt({ attempts, at, retryAfterSeconds, random }) ?? null;
  return { ...base, status: dueAt ? 'waiting' : 'failed', dueAt };
}

/** The delivery without an attempt: it may not leave, or there is nothing left to send. */
export function settledAs(before: Before, status: 'withheld' | 'failed', fault: string, at: Date): Settled {
  const log = [...(before.attempt_log as KeptAttempt[]), { at: at.toISOString(), fault, ms: 0 }];
  return { id: before.id, attempts: before.attempts, log, status, dueAt: null };
}
