import { setTimeout as sleep } from 'node:timers/promises';
import type { DeadLetters } from './dead-letters.ts';
import type { Delivery } from './delivery.ts';
import { RetryLater } from './errors.ts';
import type { Handler, Observer } from './handler.ts';

export interface DeskSettings {
  /** A message that fails at this delivery becomes a dead letter. */
  readonly maxDeliveries: number;
  /** How long a failed message stays away, by delivery; the last one serves all further. */
  readonly backoffMs: readonly number[];
}

/** After so many times `maxDeliveries` a message whose workers keep dying is given up. */
const lastChance = 4;

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
    if (usual) await this.#try(usual);
    for (const delivery of shuffled(suspect ?? [])) await this.#try([delivery]);
    for (const delivery of deadly ?? []) {
      delivery.reject(`no worker got through with it in ${delivery.deliveries - 1} deliveries`);
      await this.#answer(delivery);
    }
  }

  /** When a batch fails, its halves are tried, so that one bad message does not condemn its neighbours. */
  async #try(batch: readonly Delivery[]): Promise<void> {
    try {
      await this.#run(batch);
    } catch (error) {
      const open = batch.filter((delivery) => !delivery.verdict);
      await this.#answerAll(batch.filter((delivery) => delivery.verdict));
      return this.#failed(open, error);
    }
    await this.#answerAll(batch);
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
    if (verdict.kind === 'reject') return this.#toDeadLetters(delivery, reason);
    if (deliveries >= this.#settings.maxDeliveries) {
      return this.#toDeadLetters(delivery, `given up after ${deliveries} deliveries: ${reason}`);
    }
    delivery.giveBack(verdict.delayMs);
    this.#observe({ kind: 'retried', id, deliveries, reason });
  }

  /** First the letter, then the farewell: in the other order a crash in between would lose the message. */
  async #toDeadLetters(delivery: Delivery, reason: string): Promise<void> {
    const { id, deliveries } = delivery;
    try {
      await this.#letters.add(delivery, reason);
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

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
