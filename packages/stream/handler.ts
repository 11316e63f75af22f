import type { Headers } from './headers.ts';

/** What a handler sees of a message. */
export interface StreamMessage {
  /** The publisher's id. Count it once: the same message may come again, even after it was acknowledged. */
  readonly id: string;
  /** Its place in the log; a redelivery has the same. */
  readonly sequence: number;
  /** 1 the first time. */
  readonly deliveries: number;
  readonly partition: number;
  readonly publishedAt: Date;
  readonly payload: Uint8Array;
  readonly headers: Headers;
  /** Moves the message to the dead letters without a retry, because it can never succeed. `headers` are added to the letter. */
  reject(reason: string, headers?: Headers): void;
  /** Again after the delay; counts as a failed try. */
  retry(delayMs: number, reason: string): void;
}

/**
 * When it resolves, every message it did not reject or retry is acknowledged. When it throws, the halves of the batch are
 * tried, down to the message at fault. It may see a message again that it has already handled, and must bear that.
 */
export type Handler = (batch: readonly StreamMessage[]) => Promise<void>;

/** What a consumer tells logs and metrics. */
export type ConsumerEvent =
  /** The server could not be asked for messages; we go on asking. */
  | { readonly kind: 'interrupted'; readonly error: unknown }
  /** The handler threw RetryLater; the batch is held. */
  | { readonly kind: 'waiting'; readonly messages: number; readonly reason: string }
  /** A message failed and will come again. */
  | { readonly kind: 'retried'; readonly id: string; readonly deliveries: number; readonly reason: string }
  | { readonly kind: 'dead-lettered'; readonly id: string; readonly deliveries: number; readonly reason: string }
  /** The dead letter could not be written; the message stays in the log and will come again. */
  | { readonly kind: 'dead-letter-failed'; readonly id: string; readonly error: unknown };

export type Observer = (event: ConsumerEvent) => void;
