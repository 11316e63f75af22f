import { type Lane, OutboundFailed, OutboundRefused, type Sending } from '@tributary/outbound';
import { limits } from '@tributary/vocabulary';
import type { DeliveryResult } from './batch-store.ts';
import type { AttemptRecord } from './delivery-response.ts';
import type { Verdict } from './receiver-state.ts';
import { nextAttemptAt, readRetryAfter } from './schedule.ts';

/** The result of one attempt. */
export interface AttemptResult {
  readonly code?: number;
  /** Undefined on success. */
  readonly fault?: string;
  readonly retryAfterSeconds?: number | undefined;
  readonly ms: number;
}

/** Status codes with which a receiver asks to slow down all deliveries. */
const throttleCodes: readonly number[] = [429, 503];
const gone = 410;

/**
 * Waits for the response. Undefined if a reused connection was closed by the peer: that says nothing about the receiver, and the delivery
 * is retried on another connection.
 */
export async function awaitAttempt(
  lane: Lane,
  sending: Sending,
  since: number,
  at: Date,
): Promise<AttemptResult | undefined> {
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

/** A reason that may be shown to a tenant. Any other error is an internal one and is thrown. */
export function faultOf(error: unknown): string {
  if (error instanceof OutboundRefused || error instanceof OutboundFailed) return error.reason;
  throw error;
}

export const verdictOf = ({ fault, code = 0, retryAfterSeconds }: AttemptResult): Verdict =>
  fault === undefined
    ? { isDelivered: true }
    : {
        isDelivered: false,
        isGone: code === gone,
        patienceSeconds: throttleCodes.includes(code) ? retryAfterSeconds : undefined,
      };

interface AttemptedDelivery {
  readonly id: string;
  readonly attempts: number;
  readonly attempt_log: unknown;
}

/** The state of the delivery after an attempt. */
export function resultOf(before: AttemptedDelivery, attempt: AttemptResult, at: Date, random: number): DeliveryResult {
  const { code, fault, ms, retryAfterSeconds } = attempt;
  const record: AttemptRecord = { at: at.toISOString(), ...(code && { code }), ...(fault && { fault }), ms };
  const attempts = before.attempts + 1;
  const log = [...(before.attempt_log as AttemptRecord[]), record].slice(-limits.webhookDeliveries.attemptsShown);
  const base = { id: before.id, attempts, log };
  if (fault === undefined) return { ...base, status: 'delivered', dueAt: null };
  const dueAt = nextAttemptAt({ attempts, at, retryAfterSeconds, random }) ?? null;
  return { ...base, status: dueAt ? 'waiting' : 'failed', dueAt };
}

/** The state of a delivery without an attempt: it may not be sent, or its event is gone. */
export function resultWithoutAttempt(
  before: AttemptedDelivery,
  status: 'withheld' | 'failed',
  fault: string,
  at: Date,
): DeliveryResult {
  const log = [...(before.attempt_log as AttemptRecord[]), { at: at.toISOString(), fault, ms: 0 }];
  return { id: before.id, attempts: before.attempts, log, status, dueAt: null };
}
