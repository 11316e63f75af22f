import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { JetStreamApiError, type PubAck } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import type { AddressedMessage } from './address.ts';
import { PublishFailed, type Receipt } from './errors.ts';
import { toNats } from './headers.ts';
import type { Link } from './link.ts';
import { Slots } from './slots.ts';

export interface PublishOptions {
  /** How long a message is sent again after lost connections and missing acknowledgements. */
  readonly deadlineMs?: number;
}

export interface PublisherSettings {
  /** Maximum of sent but unacknowledged messages over all calls; further messages wait for a slot. */
  readonly maxInFlight: number;
  readonly deadlineMs: number;
}

export const defaultPublisherSettings: PublisherSettings = { maxInFlight: 512, deadlineMs: 10_000 };

/** An acknowledgement that takes longer counts as lost, and the message is sent again. */
const acknowledgementMs = 5_000;
const longestPauseMs = 1_000;
/** How long a refusal by the server counts as its current state. */
const refusedForMs = 5_000;

export class Publisher {
  readonly #link: Link;
  readonly #slots: Slots;
  readonly #deadlineMs: number;
  #refusedAt = Number.NEGATIVE_INFINITY;

  constructor(link: Link, settings: PublisherSettings) {
    this.#link = link;
    this.#slots = new Slots(settings.maxInFlight);
    this.#deadlineMs = settings.deadlineMs;
  }

  /** Messages sent but not acknowledged, and messages that wait for a slot. The collector sheds load by it. */
  get load(): { readonly inFlight: number; readonly waiting: number } {
    return { inFlight: this.#slots.taken, waiting: this.#slots.waiting };
  }

  /** Whether the last answer of the server, a short while ago, was that it stores nothing. */
  get isRefused(): boolean {
    return performance.now() - this.#refusedAt < refusedForMs;
  }

  /** Resolves when the server has acknowledged every message. Throws PublishFailed if that takes too long. */
  async publish(messages: readonly AddressedMessage[], options: PublishOptions = {}): Promise<Receipt[]> {
    const deadline = new Deadline(options.deadlineMs ?? this.#deadlineMs);
    const outcomes = await Promise.allSettled(messages.map((message) => this.#publishOne(message, deadline)));
    deadline.end();

    const acknowledged: Receipt[] = [];
    const failures: { id: string; cause: unknown }[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === 'fulfilled') acknowledged.push(outcome.value);
      else failures.push({ id: (messages[index] as AddressedMessage).id, cause: outcome.reason });
    }
    if (failures.length > 0) {
      throw new PublishFailed(
        acknowledged,
        failures.map((failure) => failure.id),
        failures[0]?.cause,
      );
    }
    return acknowledged;
  }

  /** Resolves when no message is in flight. Each has a deadline, so this ends. */
  async idle(): Promise<void> {
    while (this.#slots.taken > 0) await sleep(10);
  }

  async #publishOne(message: AddressedMessage, deadline: Deadline): Promise<Receipt> {
    await this.#slots.acquire(deadline.signal);
    let lastFault: unknown;
    try {
      for (let attempt = 0; ; attempt += 1) {
        await this.#link.untilUp(deadline.signal);
        try {
          const { seq, duplicate } = await this.#send(message, Math.min(acknowledgementMs, deadline.remainingMs));
          this.#refusedAt = Number.NEGATIVE_INFINITY;
          return { id: message.id, sequence: seq, duplicate };
        } catch (fault) {
          if (fault instanceof JetStreamApiError && fault.status >= 500) this.#refusedAt = performance.now();
          if (isFinal(fault)) throw fault;
          lastFault = fault;
        }
        await sleep(Math.min(20 * 2 ** attempt, longestPauseMs), undefined, { signal: deadline.signal });
      }
    } catch (error) {
      // Reports the last fault instead of "the deadline passed", which does not explain the failure.
      throw deadline.signal.aborted ? (lastFault ?? deadline.signal.reason) : error;
    } finally {
      this.#slots.release();
    }
  }

  /** Sends the message once. Rejects when the connection is lost, because the acknowledgement can no longer arrive. */
  #send(message: AddressedMessage, timeoutMs: number): Promise<PubAck> {
    const { events, jetstream } = this.#link;
    return new Promise((resolve, reject) => {
      const lost = () => reject(new errors.ConnectionError('the connection was lost'));
      events.once('lost', lost);
      jetstream
        .publish(message.subject, message.payload, {
          msgID: message.id,
          headers: toNats(message.headers),
          timeout: Math.max(1, timeoutMs),
          // Rejects an acknowledgement of another stream on the same subject.
          expect: { streamName: message.stream },
        })
        .then(resolve, reject)
        .finally(() => events.off('lost', lost));
    });
  }
}

/** Faults that a retry would meet again: the server rejected the message, or this process closed the connection. */
function isFinal(fault: unknown): boolean {
  if (fault instanceof JetStreamApiError) return fault.status < 500;
  return (
    fault instanceof errors.InvalidArgumentError ||
    fault instanceof errors.ClosedConnectionError ||
    fault instanceof errors.DrainingConnectionError
  );
}

/** Uses the monotonic clock, so that a change of the system time neither extends nor ends a wait. */
class Deadline {
  readonly signal: AbortSignal;
  readonly #at: number;
  readonly #timer: NodeJS.Timeout;

  constructor(milliseconds: number) {
    const passed = new AbortController();
    this.signal = passed.signal;
    setMaxListeners(0, this.signal);
    this.#at = performance.now() + milliseconds;
    this.#timer = setTimeout(() => passed.abort(new Error(`${milliseconds} ms have passed`)), milliseconds);
  }

  get remainingMs(): number {
    return this.#at - performance.now();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
