import { setTimeout as sleep } from 'node:timers/promises';
import type { DeadLetters, FailureCause } from './dead-letters.ts';
import type { Delivery } from './delivery.ts';
import { RetryLater } from './errors.ts';
import type { Handler, Observer } from './handler.ts';
import type { Headers } from './headers.ts';

export interface BatchProcessorSettings {
  /** A message that fails at this delivery becomes a dead letter. */
  readonly maxDeliveries: number;
  /** The delay of a failed message by delivery; the last value applies to all later deliveries. */
  readonly backoffMs: readonly number[];
  /** How long a batch is held if all its messages fail in the same way, because then the messages are rarely the cause. */
  readonly holdMs: number;
}

/** A message whose workers keep crashing becomes a dead letter after this many times `maxDeliveries`. */
const crashLimit = 4;

/** How many messages of a failed batch are tried alone, to find out whether they fail in the same way. */
const probeCount = 8;
const shortestHoldMs = 1_000;
const longestHoldMs = 30_000;

/** The delay of a message whose dead letter could not be written. */
const letterRetryMs = 5_000;

/** Passes batches to the handler and acknowledges, delays or dead-letters each of their messages. */
export class BatchProcessor {
  readonly #handler: Handler;
  readonly #letters: DeadLetters;
  readonly #settings: BatchProcessorSettings;
  readonly #observe: Observer;
  readonly #stopping: AbortSignal;

  constructor(
    handler: Handler,
    letters: DeadLetters,
    settings: BatchProcessorSettings,
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
   * A message with more deliveries than failures allow was in batches whose workers crashed, and may be the cause. Such messages are
   * handled alone, after the others, and in the end not at all. Their order is random each time: otherwise those behind the culprit would
   * never be handled and would become dead letters with it.
   */
  async handle(batch: readonly Delivery[]): Promise<void> {
    const { maxDeliveries } = this.#settings;
    const { normal, suspect, fatal } = Object.groupBy(batch, ({ deliveries }) => {
      if (deliveries <= maxDeliveries) return 'normal';
      return deliveries <= crashLimit * maxDeliveries ? 'suspect' : 'fatal';
    });
    if (normal) await this.#tryWhole(normal);
    for (const delivery of shuffled(suspect ?? [])) await this.#try([delivery]);
    for (const delivery of fatal ?? []) {
      await this.#toDeadLetters(
        delivery,
        `no worker got through with it in ${delivery.deliveries - 1} deliveries`,
        'deadly',
      );
    }
  }

  /**
   * Holds a batch whose messages all fail in the same way, and tries it again for a while. An unknown external fault must not turn its
   * messages into dead letters.
   */
  async #tryWhole(batch: readonly Delivery[]): Promise<void> {
    const holdUntil = performance.now() + this.#settings.holdMs;
    let open = batch;
    for (let pauseMs = shortestHoldMs; ; pauseMs = Math.min(2 * pauseMs, longestHoldMs)) {
      const failure = await this.#attempt(open);
      if (!failure || this.#stopping.aborted) return;
      open = failure.open;
      const isHeld = open.length > 1 && performance.now() < holdUntil && (await this.#failsAlike(open, failure.error));
      open = open.filter((delivery) => !delivery.isAnswered);
      if (!isHeld) return this.#handleFailure(open, failure.error);
      this.#observe({
        kind: 'waiting',
        messages: open.length,
        reason: `all fail alike: ${signatureOf(failure.error)}`,
      });
      await this.#pause(pauseMs);
    }
  }

  /** Tries some messages alone, and stops at the first that succeeds or fails in another way. */
  async #failsAlike(open: readonly Delivery[], error: unknown): Promise<boolean> {
    const step = Math.max(1, Math.floor(open.length / probeCount));
    for (let index = 0; index < open.length; index += step) {
      const failure = await this.#attempt([open[index] as Delivery]);
      if (!failure?.open.length || signatureOf(failure.error) !== signatureOf(error)) return false;
    }
    return true;
  }

  /** Splits a failed batch into halves, so that one bad message does not fail the others. */
  async #try(batch: readonly Delivery[]): Promise<void> {
    const failure = await this.#attempt(batch);
    if (failure) await this.#handleFailure(failure.open, failure.error);
  }

  /** Calls the handler once and answers the messages with a result. Resolves to the messages without one, and the error. */
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

  async #handleFailure(open: readonly Delivery[], error: unknown): Promise<void> {
    // The messages stay unanswered; the consumer returns them to the server when it has stopped.
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

  /** Waits here during an outage, so that the delivery count covers only a message's own failures. */
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

  /** Writes the dead letter before it terminates the message: a crash between the two must not lose the message. */
  async #toDeadLetters(delivery: Delivery, reason: string, cause: FailureCause, headers: Headers = {}): Promise<void> {
    const { id, deliveries } = delivery;
    try {
      await this.#letters.add(delivery, reason, cause, headers);
    } catch (error) {
      delivery.giveBack(letterRetryMs);
      this.#observe({ kind: 'dead-letter-failed', id, error });
      return;
    }
    delivery.terminate();
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

/** The kind of an error, without its text, which may name the message. */
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
