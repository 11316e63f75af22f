import { setTimeout as sleep } from 'node:timers/promises';
import type { DeadLetters, DeathCause } from './dead-letters.ts';
import type { Delivery } from './delivery.ts';
import { RetryLater } from './errors.ts';
import type { Handler, Observer } from './handler.ts';
import type { Headers } from './headers.ts';

export interface DeskSettings {
  /** A message that fails at this delivery becomes a dead letter. */
  readonly maxDeliveries: number;
  /** How long a failed message stays away, by delivery; the last one serves all further. */
  readonly backoffMs: readonly number[];
  /** How long a batch is held of which every message fails in the same way: then the fault is rarely theirs. */
  readonly holdMs: number;
}

/** After so many times `maxDeliveries` a message whose workers keep dying is given up. */
const lastChance = 4;

/** Of a batch that failed so many messages are tried alone, to see whether they fail alike. */
const probes = 8;
const shortestHoldMs = 1_000;
const longestHoldMs = 30_000;

/** How long a message stays away whose dead letter could not be written. */
const lettersAwayMs = 5_000;

/** Has a batch handled and answers the server for each of its messages. */
export class Desk {
  readonly #handler: Handler;
  readonly #letters: DeadLetters;
  readonly #settings: DeskSettings;
  readonly #observe: Observer;
  readonly #stopping: AbortSignal;

  constructor(
    handler: Handler,
    letters: DeadLetters,
    settings: DeskSettings,
    observe: Observer,
    stopping: AbortSignal,
  ) {
    this.#handler = handler;
    this.#letters = letters;
    this.#settings = settings;
    this.#observe = observe;
    this.#stopping = stopping;
  }

  /**
   * A message delivered more often than a failing one ever is has seen its workers die, and may be the cause. It is handled
   * alone, after the others, and when that goes on, not at all. The suspects take turns in another order each time: behind
   * the culprit nobody would ever be reached, and all would be condemned with it.
   */
  async handle(batch: readonly Delivery[]): Promise<void> {
    const { maxDeliveries } = this.#settings;
    const { usual, suspect, deadly } = Object.groupBy(batch, ({ deliveries }) => {
      if (deliveries <= maxDeliveries) return 'usual';
      return deliveries <= lastChance * maxDeliveries ? 'suspect' : 'deadly';
    });
    if (usual) await this.#tryWhole(usual);
    for (const delivery of shuffled(suspect ?? [])) await this.#try([delivery]);
    for (const delivery of deadly ?? []) {
      await this.#toDeadLetters(
        delivery,
        `no worker got through with it in ${delivery.deliveries - 1} deliveries`,
        'deadly',
      );
    }
  }

  /**
   * A batch of which every message fails in the same way is held and tried again, for a while: a fault that we do not know yet, outside of
   * the messages, must not make dead letters of them.
   */
  async #tryWhole(batch: readonly Delivery[]): Promise<void> {
    const givenUpAt = performance.now() + this.#settings.holdMs;
    let open = batch;
    for (let pauseMs = shortestHoldMs; ; pauseMs = Math.min(2 * pauseMs, longestHoldMs)) {
      const failure = await this.#attempt(open);
      if (!failure || this.#stopping.aborted) return;
      open = failure.open;
      const isHeld = open.length > 1 && performance.now() < givenUpAt && (await this.#failsAlike(open, failure.error));
      open = open.filter((delivery) => !delivery.isAnswered);
      if (!isHeld) return this.#failed(open, failure.error);
      this.#observe({
        kind: 'waiting',
        messages: open.length,
        reason: `all fail alike: ${signatureOf(failure.error)}`,
      });
      await this.#pause(pauseMs);
    }
  }

  /** Tries some of the batch alone, and stops at the first that goes through or fails in another way. */
  async #failsAlike(open: readonly Delivery[], error: unknown): Promise<boolean> {
    const step = Math.max(1, Math.floor(open.length / probes));
    for (let index = 0; index < open.length; index += step) {
      const failure = await this.#attempt([open[index] as Delivery]);
      if (!failure?.open.length || signatureOf(failure.error) !== signatureOf(error)) return false;
    }
    return true;
  }

  /** When a batch fails, its halves are tried, so that one bad message does not condemn its neighbours. */
  async #try(batch: readonly Delivery[]): Promise<void> {
    const failure = await this.#attempt(batch);
    if (failure) await this.#failed(failure.open, failure.error);
  }

  /** Runs the handler once and answers for what is decided. Resolves to those that are not, and why. */
  async #attempt(batch: readonly Delivery[]): Promise<{ open: readonly Delivery[]; error: unknown } | undefined> {
    try {
      await this.#run(batch);
    } catch (error) {
      const open = batch.filter((delivery) => !delivery.verdict);
      await this.#answerAll(batch.filter((delivery) => delivery.verdict));
      return { open, error };
    }
    await this.#answerAll(batch);
    return undefined;
  }

  async #failed(open: readonly Delivery[], error: unknown): Promise<void> {
    // Left unanswered; the consumer gives them back when it has stopped.
    if (this.#stopping.aborted) return;
    const [first] = open;
    if (first && open.length === 1) {
      first.retry(this.#backoff(first.deliveries), reasonOf(error));
      await this.#answer(first);
    } else if (first) {
      const middle = Math.ceil(open.length / 2);
      await this.#try(open.slice(0, middle));
      await this.#try(open.slice(middle));
    }
  }

  /** Ends early when the consumer stops. */
  async #pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#stopping }).catch(() => {});
  }

  /** Held here during an outage, the messages keep their count of deliveries: it is for their own faults. */
  async #run(batch: readonly Delivery[]): Promise<void> {
    while (true) {
      const open = batch.filter((delivery) => !delivery.verdict);
      if (open.length === 0) return;
      try {
        return await this.#handler(open);
      } catch (error) {
        if (!(error instanceof RetryLater)) throw error;
        this.#observe({ kind: 'waiting', messages: open.length, reason: error.message });
        await sleep(error.delayMs, undefined, { signal: this.#stopping });
      }
    }
  }

  async #answerAll(batch: readonly Delivery[]): Promise<void> {
    await Promise.all(batch.map((delivery) => this.#answer(delivery)));
  }

  async #answer(delivery: Delivery): Promise<void> {
    const { verdict, id, deliveries } = delivery;
    if (!verdict) return delivery.acknowledge();
    const { reason } = verdict;
    if (verdict.kind === 'reject') return this.#toDeadLetters(delivery, reason, 'rejected', verdict.headers);
    if (deliveries >= this.#settings.maxDeliveries) {
      return this.#toDeadLetters(delivery, `given up after ${deliveries} deliveries: ${reason}`, 'failed');
    }
    delivery.giveBack(verdict.delayMs);
    this.#observe({ kind: 'retried', id, deliveries, reason });
  }

  /** First the letter, then the farewell: in the other order a crash in between would lose the message. */
  async #toDeadLetters(delivery: Delivery, reason: string, cause: DeathCause, headers: Headers = {}): Promise<void> {
    const { id, deliveries } = delivery;
    try {
      await this.#letters.add(delivery, reason, cause, headers);
    } catch (error) {
      delivery.giveBack(lettersAwayMs);
      this.#observe({ kind: 'dead-letter-failed', id, error });
      return;
    }
    delivery.bury();
    this.#observe({ kind: 'dead-lettered', id, deliveries, reason });
  }

  #backoff(deliveries: number): number {
    const { backoffMs } = this.#settings;
    return backoffMs[Math.min(deliveries, backoffMs.length) - 1] ?? 0;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** What kind of failure it is. The text of an error may name the message it is about. */
function signatureOf(error: unknown): string {
  const { name = '', code = '' } = error as { name?: string; code?: string | number };
  return `${name} ${code}`.trim();
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
