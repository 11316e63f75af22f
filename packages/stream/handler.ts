import type { Headers } from './headers.ts';

/** The handler's view of a message. */
export interface StreamMessage {
  /** The publisher's id. Count it once: the same message may be delivered again, even after it was acknowledged. */
  readonly id: string;
  /** Its position in the stream, the same for every delivery. */
  readonly sequence: number;
  /** 1 for the first delivery. */
  readonly deliveries: number;
  readonly partition: number;
  readonly publishedAt: Date;
  readonly payload: Uint8Array;
  readonly headers: Headers;
  /** Makes the message a dead letter without further tries, because it can never be processed. `headers` are added to the letter. */
  reject(reason: string, headers?: Headers): void;
  /** Redelivers the message after the delay; counts as a failed try. */
  retry(delayMs: number, reason: string): void;
}

/**
 * When it resolves, every message that it did not reject or retry is acknowledged. When it throws, the halves of the batch are tried, down
 * to the faulty message. It must be idempotent because it may receive a handled message again.
 */
export type Handler = (batch: readonly StreamMessage[]) => Promise<void>;

/** What a consumer reports to logs and metrics. */
export type ConsumerEvent =
  /** A request for messages failed; the consumer keeps trying. */
  | { readonly kind: 'interrupted'; readonly error: unknown }
  /** The handler threw RetryLater; the batch is held. */
  | { readonly kind: 'waiting'; readonly messages: number; readonly reason: string }
  /** A message failed and will be redelivered. */
  | { readonly kind: 'retried'; readonly id: string; readonly deliveries: number; readonly reason: string }
  | { readonly kind: 'dead-lettered'; readonly id: string; readonly deliveries: number; readonly reason: string }
  /** The dead letter could not be written; the message stays in the stream and will be redelivered. */
  | { readonly kind: 'dead-letter-failed'; readonly id: string; readonly error: unknown };

export type Observer = (event: ConsumerEvent) => void;
