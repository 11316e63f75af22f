import type { KeyObject } from 'node:crypto';
import type { LoggedEvent } from '@tributary/domain/events';
import type { Lane, Line, Outbound, OutboundRequest } from '@tributary/outbound';
import type { DeliveryRow } from '../store.ts';
import { type Attempted, attempted, faultOf, verdictOf } from './attempt.ts';
import { envelopeOf, type ToldPerson } from './envelope.ts';
import { signatureHeaders } from './signature.ts';
import { awayAfter } from './standing.ts';

/** A delivery that is to be sent now. */
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
  /** Failures in a row until now. */
  readonly failures: number;
  readonly onAttempt: (ready: Ready, attempt: Attempted, at: Date) => void;
}

/** Requests under way at once to one receiver. */
export const lanesAtOnce = 8;

/** A turn begins nothing new after this time, so that the next has its turn however slowly receivers answer. */
const turnMs = 5_000;

/** Sends to one receiver, over connections that are opened when they are needed and given back at the end. */
export class Sending {
  readonly #sender: Sender;
  readonly #line: Line;
  readonly #began = performance.now();
  #failures: number;

  static async open(sender: Sender): Promise<Sending> {
    return new Sending(sender, await sender.outbound.openLine(sender.url));
  }

  constructor(sender: Sender, line: Line) {
    this.#sender = sender;
    this.#line = line;
    this.#failures = sender.failures;
  }

  /** Whether another may begin: the rest waits for the next turn, or until the receiver is back. */
  get goesOn(): boolean {
    const { signal, failures } = this.#sender;
    const isGivenUp = this.#failures >= awayAfter && this.#failures > failures;
    return !signal.aborted && !isGivenUp && performance.now() - this.#began < turnMs;
  }

  /** Events that name nobody: each lane takes the next one when it is free. They begin in their order. */
  async sendAll(all: readonly Ready[]): Promise<void> {
    const rest = all.values();
    const work = async () => {
      let lane: Lane | undefined;
      while (this.goesOn) {
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
        const result = await attempted(lane, lane.send(this.#requestOf(ready, at)), since, at);
        if (result) this.#note(ready, result, at);
      }
      lane?.end();
    };
    await Promise.all(Array.from({ length: Math.min(lanesAtOnce, all.length) }, work));
  }

  /**
   * Events that name people, some at a time: the connections are open before `leave` asks for the right to send, and it waits only until
   * the bytes have left, not for the answers.
   */
  async sendPeople(
    some: readonly Ready[],
    leave: (send: (people: ReadonlyMap<string, ToldPerson>, cut: AbortSignal) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const since = performance.now();
    const at = this.#sender.now();
    const lanes = await Promise.allSettled(some.map(() => this.#line.openLane()));
    const open: { ready: Ready; lane: Lane }[] = [];
    for (const [index, ready] of some.entries()) {
      const lane = lanes[index];
      if (lane?.status === 'fulfilled') open.push({ ready, lane: lane.value });
      else this.#note(ready, { fault: faultOf(lane?.reason), ms: Math.round(performance.now() - since) }, at);
    }
    const answers: Promise<void>[] = [];
    try {
      if (open.length > 0)
        await leave(async (people, cut) => {
          const sent = open.map(({ ready, lane }) => {
            const person = people.get(ready.row.id);
            const sending = lane.send(this.#requestOf(ready, at, person));
            answers.push(
              attempted(lane, sending, since, at).then((result) => {
                if (result) this.#note(ready, result, at);
              }),
            );
            return sending.sent;
          });
          cut.addEventListener('abort', () => {
            for (const { lane } of open) lane.cut();
          });
          await Promise.allSettled(sent);
        });
    } finally {
      await Promise.allSettled(answers);
      for (const { lane } of open) lane.end();
    }
    // A fault of ours, which no attempt may hide.
    await Promise.all(answers);
  }

  #note(ready: Ready, attempt: Attempted, at: Date): void {
    this.#failures = verdictOf(attempt).isDelivered ? 0 : this.#failures + 1;
    this.#sender.onAttempt(ready, attempt, at);
  }

  #requestOf({ row, event }: Ready, at: Date, person?: ToldPerson): OutboundRequest {
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
