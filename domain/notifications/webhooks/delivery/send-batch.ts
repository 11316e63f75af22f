import type { KeyObject } from 'node:crypto';
import type { LoggedEvent } from '@tributary/domain/tenancy/events';
import type { Lane, Line, Outbound, OutboundRequest } from '@tributary/outbound';
import type { DeliveryRow } from '../store.ts';
import { type AttemptResult, awaitAttempt, faultOf, verdictOf } from './attempt.ts';
import { type EventPerson, envelopeOf } from './envelope.ts';
import { unavailableAfter } from './receiver-state.ts';
import { signatureHeaders } from './signature.ts';

/** A delivery to send now. */
export interface Ready {
  readonly row: DeliveryRow;
  readonly event: Omit<LoggedEvent, 'sequence'>;
}

export interface Sender {
  readonly outbound: Pick<Outbound, 'openLine'>;
  readonly url: string;
  readonly appId: string | null;
  readonly keys: readonly KeyObject[];
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** Consecutive failures so far. */
  readonly failures: number;
  /** The customer of a test delivery. */
  readonly sample: EventPerson;
  readonly onAttempt: (ready: Ready, attempt: AttemptResult, at: Date) => void;
}

/** Concurrent requests per receiver. */
const lanesAtOnce = 8;

/** A batch starts no new request after this time, so that slow receivers do not delay other subscriptions. */
const batchMs = 5_000;

/** Sends to one receiver over connections that are opened on demand and returned at the end. */
export class Sending {
  readonly #sender: Sender;
  readonly #line: Line;
  readonly #began = performance.now();
  #failures: number;
  #ordered: Lane | undefined;

  static async open(sender: Sender): Promise<Sending> {
    return new Sending(sender, await sender.outbound.openLine(sender.url));
  }

  constructor(sender: Sender, line: Line) {
    this.#sender = sender;
    this.#line = line;
    this.#failures = sender.failures;
  }

  /** Whether another request may start. The rest waits for the next batch, or until the receiver is back. */
  get canContinue(): boolean {
    const { signal, failures } = this.#sender;
    const isGivenUp = this.#failures >= unavailableAfter && this.#failures > failures;
    return !signal.aborted && !isGivenUp && performance.now() - this.#began < batchMs;
  }

  /** Sends events without a customer: each connection takes the next one when it is free. They start in order. */
  async sendAll(all: readonly Ready[]): Promise<void> {
    const rest = all.values();
    const work = async () => {
      let lane: Lane | undefined;
      while (this.canContinue) {
        const { value: ready, done } = rest.next();
        if (done) break;
        const at = this.#sender.now();
        const since = performance.now();
        try {
          if (!lane?.isOpen) lane = await this.#line.openLane();
        } catch (error) {
          this.#note(ready, { fault: faultOf(error), ms: Math.round(performance.now() - since) }, at);
          continue;
        }
        const result = await awaitAttempt(lane, lane.send(this.#requestOf(ready, at, this.#sender.sample)), since, at);
        if (result) this.#note(ready, result, at);
      }
      lane?.end();
    };
    await Promise.all(Array.from({ length: Math.min(lanesAtOnce, all.length) }, work));
  }

  /**
   * Sends one event about a customer. All of these share one connection and wait for each other's response, so that they arrive in the
   * order of the replay. The connection is open before `leave` enters the personal-data gate, and `leave` waits only until the bytes are
   * sent. Returns false if a reused connection had ended: the event has to be sent again before the next one.
   */
  async sendInOrder(
    ready: Ready,
    leave: (send: (person: EventPerson | undefined, cut: AbortSignal) => Promise<void>) => Promise<void>,
  ): Promise<boolean> {
    const since = performance.now();
    const at = this.#sender.now();
    let lane: Lane;
    try {
      lane = this.#ordered?.isOpen ? this.#ordered : await this.#line.openLane();
    } catch (error) {
      this.#note(ready, { fault: faultOf(error), ms: Math.round(performance.now() - since) }, at);
      return true;
    }
    this.#ordered = lane;
    let response: ReturnType<typeof awaitAttempt> | undefined;
    try {
      await leave(async (person, cut) => {
        const sending = lane.send(this.#requestOf(ready, at, person));
        response = awaitAttempt(lane, sending, since, at);
        cut.addEventListener('abort', () => lane.cut());
        await Promise.allSettled([sending.sent]);
      });
    } finally {
      await Promise.allSettled([response]);
    }
    if (!response) return true;
    const result = await response;
    if (result) this.#note(ready, result, at);
    return result !== undefined;
  }

  /** Returns the connection of `sendInOrder`. */
  end(): void {
    this.#ordered?.end();
  }

  #note(ready: Ready, attempt: AttemptResult, at: Date): void {
    this.#failures = verdictOf(attempt).isDelivered ? 0 : this.#failures + 1;
    this.#sender.onAttempt(ready, attempt, at);
  }

  #requestOf({ row, event }: Ready, at: Date, person?: EventPerson): OutboundRequest {
    const body = JSON.stringify(envelopeOf(event, this.#sender.appId, person));
    return {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Tributary-Webhooks/1',
        ...signatureHeaders(this.#sender.keys, event.id, at, body),
        ...(row.sequence === null && { 'tributary-test': 'true' }),
      },
      body,
    };
  }
}
