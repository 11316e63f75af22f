import type { JsMsg } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import type { FailedMessage } from './dead-letters.ts';
import type { StreamMessage } from './handler.ts';
import { callerHeaders, type Headers, messageIdOf, replaysOf } from './headers.ts';

type Verdict =
  | { readonly kind: 'reject'; readonly reason: string; readonly headers: Headers }
  | { readonly kind: 'retry'; readonly reason: string; readonly delayMs: number };

/** One delivery of a message: the handler's view of it, and the acknowledgement to the server. */
export class Delivery implements StreamMessage, FailedMessage {
  readonly id: string;
  readonly stream: string;
  readonly sequence: number;
  readonly deliveries: number;
  readonly subject: string;
  readonly payload: Uint8Array;
  readonly headers: Headers;
  readonly replays: number;
  readonly #message: JsMsg;
  #verdict: Verdict | undefined;
  #isAnswered = false;

  constructor(message: JsMsg) {
    const { stream, streamSequence, deliveryCount } = message.info;
    this.id = messageIdOf(message.headers);
    this.stream = stream;
    this.sequence = streamSequence;
    this.deliveries = deliveryCount;
    this.subject = message.subject;
    this.payload = message.data;
    this.headers = callerHeaders(message.headers);
    this.replays = replaysOf(message.headers);
    this.#message = message;
  }

  get partition(): number {
    return Number(this.subject.slice(this.subject.lastIndexOf('.') + 1));
  }

  get publishedAt(): Date {
    return this.#message.time;
  }

  get storedAtNanos(): bigint {
    return this.#message.timestampNanos;
  }

  get verdict(): Verdict | undefined {
    return this.#verdict;
  }

  /** The final answer was sent or lost; in either case this consumer no longer owns the message. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  reject(reason: string, headers: Headers = {}): void {
    this.#verdict = { kind: 'reject', reason, headers };
  }

  retry(delayMs: number, reason: string): void {
    this.#verdict = { kind: 'retry', reason, delayMs };
  }

  acknowledge(): void {
    this.#answer(() => this.#message.ack());
  }

  /** Returns the message to the server, for any worker. */
  giveBack(delayMs = 0): void {
    this.#answer(() => this.#message.nak(delayMs));
  }

  /** Prevents further deliveries, after the dead letter was written. */
  terminate(): void {
    this.#answer(() => this.#message.term());
  }

  /** Extends the ack timeout, so that the server does not redeliver a message that takes long. */
  stillWorking(): void {
    this.#send(() => this.#message.working());
  }

  #answer(send: () => void): void {
    this.#isAnswered = true;
    this.#send(send);
  }

  /** A lost answer does no harm because the server delivers the message again. */
  #send(send: () => void): void {
    try {
      send();
    } catch (error) {
      if (!(error instanceof errors.ClosedConnectionError)) throw error;
    }
  }
}
