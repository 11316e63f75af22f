import { Refusal } from '@tributary/operations';
import { isUnavailable } from '@tributary/postgres';

export interface BatchLimits {
  /** Concurrent transactions per profile. */
  readonly lanes: number;
  /** Items per transaction. */
  readonly maxBatch: number;
  /** Waiting items per profile; further ones are refused. */
  readonly maxWaiting: number;
}

const defaultLimits: BatchLimits = { lanes: 2, maxBatch: 100, maxWaiting: 2_000 };

interface PendingItem<Item, Result> {
  readonly item: Item;
  readonly work: Work<Item, Result>;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** The waiting items and running transactions of one profile. */
interface ProfileQueue<Item, Result> {
  readonly waiting: PendingItem<Item, Result>[];
  lanes: number;
}

/** Processes all items in one transaction or none; resolves to one result per item, in order. */
type Work<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>;

/**
 * Batches concurrent requests of a profile into shared transactions, so that they share one disk flush. Requests that arrive while transactions
 * run join the next one; without load a request starts at once. Each gets its result after the commit.
 *
 * Every profile has its own queue. If a batch fails, its items are retried one by one, so that a request fails only through its own fault. If
 * the database is unavailable, all fail at once instead of waiting one after another.
 */
export class RequestBatcher<Item, Result> {
  readonly #limits: BatchLimits;
  /** Queues without waiting items and running transactions are removed. */
  readonly #queues = new Map<string, ProfileQueue<Item, Result>>();

  constructor(limits: BatchLimits = defaultLimits) {
    this.#limits = limits;
  }

  /** The number of profiles with waiting or running items. */
  get size(): number {
    return this.#queues.size;
  }

  /** Adds an item. `work` must be equivalent for all items of a profile: a batch uses that of its first item. */
  take(profileId: string, item: Item, work: Work<Item, Result>): Promise<Result> {
    const queue = this.#queues.get(profileId) ?? { waiting: [], lanes: 0 };
    if (queue.waiting.length >= this.#limits.maxWaiting)
      throw new Refusal(
        'service_unavailable',
        'Too much waits to be recorded for this profile. Send it again shortly.',
        {
          headers: { 'retry-after': '1' },
        },
      );
    this.#queues.set(profileId, queue);
    return new Promise((resolve, reject) => {
      queue.waiting.push({ item, work, resolve, reject });
      if (queue.lanes < this.#limits.lanes) void this.#runLane(profileId, queue);
    });
  }

  async #runLane(profileId: string, queue: ProfileQueue<Item, Result>): Promise<void> {
    queue.lanes += 1;
    // Includes requests that arrive in the same event loop iteration.
    await new Promise(setImmediate);
    while (queue.waiting.length > 0) await runBatch(queue.waiting.splice(0, this.#limits.maxBatch));
    queue.lanes -= 1;
    if (queue.lanes === 0) this.#queues.delete(profileId);
  }
}

async function runBatch<Item, Result>(batch: readonly PendingItem<Item, Result>[]): Promise<void> {
  const [first] = batch;
  if (!first) return;
  try {
    const results = await first.work(batch.map(({ item }) => item));
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
  } catch (error) {
    if (batch.length === 1 || isUnavailable(error)) for (const { reject } of batch) reject(error);
    else await runOneByOne(batch);
  }
}

async function runOneByOne<Item, Result>(batch: readonly PendingItem<Item, Result>[]): Promise<void> {
  let away: { readonly error: unknown } | undefined;
  for (const { item, work, resolve, reject } of batch) {
    if (away) {
      reject(away.error);
      continue;
    }
    try {
      const [result] = await work([item]);
      resolve(result as Result);
    } catch (error) {
      if (isUnavailable(error)) away = { error };
      reject(error);
    }
  }
}
