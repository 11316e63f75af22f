import type { Postgres, Tx } from '@tributary/postgres';

/** An item that waits under a key. */
export interface Item {
  readonly id: string;
}

export interface LoadedItems<I extends Item = Item> {
  readonly items: readonly I[];
  /** More items wait than were requested. */
  readonly isMore: boolean;
  /** The remaining items cannot be processed yet, and new items wait with them: claim the key again after this many seconds. */
  readonly retrySeconds?: number | undefined;
  /** The same, but new items are processed at once. */
  readonly laterSeconds?: number | undefined;
}

/** The items of a key to process. */
export interface KeyItems<I extends Item = Item> {
  readonly key: string;
  readonly items: readonly I[];
  /** More items wait than these. */
  readonly isMore: boolean;
}

export interface Batch<I extends Item = Item> extends KeyItems<I> {
  /** Aborts when the process stops or the key is lost. */
  readonly signal: AbortSignal;
  /** Called in the transaction that marks the items as done; throws when the key is lost. */
  renewLease(tx: Tx): Promise<void>;
}

interface ParkingHandler<I extends Item> {
  /** Removes the item from its table, so that it is not claimed again. This and the next method run as the role that works the queues. */
  park(tx: Tx, key: string, item: I): Promise<void>;
  /** Puts parked items back into their table. */
  unpark(tx: Tx, key: string, ids: readonly string[]): Promise<void>;
}

/** Processes a queue key by key. All steps must be repeatable because a worker can crash after its last effect. */
export interface QueueHandler<I extends Item = Item> extends ParkingHandler<I> {
  /** The items that wait under a key, longest waiting first. */
  load(key: string, limit: number, signal: AbortSignal): Promise<LoadedItems<I>>;
  /** Processes all items and deletes them from the module's own table. */
  work(batch: Batch<I>): Promise<void>;
}

export interface Group<I extends Item = Item> {
  readonly batches: readonly KeyItems<I>[];
  /** Aborts when the process stops or all keys are lost. */
  readonly signal: AbortSignal;
  /**
   * Runs a transaction, as the role that works the queues, that marks items as done. It receives the keys still held, which stay locked
   * until it ends. Throws when none is.
   */
  settle<T>(act: (tx: Tx, held: ReadonlySet<string>) => Promise<T>): Promise<T>;
}

/** Processes many keys of a queue together, for work that costs the same for one key and for hundreds. */
export interface GroupHandler<I extends Item = Item> extends ParkingHandler<I> {
  /** The items that wait under these keys, about `limit` in all, in waiting order for each key. Runs as the role that works the queues. */
  loadAll(tx: Tx, keys: readonly string[], limit: number): Promise<ReadonlyMap<string, LoadedItems<I>>>;
  /** Processes all items or fails as a whole. After a failure it is called with fewer keys, until the failing one is found. */
  workAll(group: Group<I>): Promise<void>;
}

export type AnyQueueHandler<I extends Item = Item> = QueueHandler<I> | GroupHandler<I>;

export interface WorkFailure {
  /** The name of a queue or a job. */
  readonly work: string;
  /** The key of the work; undefined for a failure that affects several keys. */
  readonly key: string | undefined;
  readonly error: unknown;
}

/** The cause of a failure: an unavailable store, too much work at once, or the work itself. */
export type FailureCause = 'away' | 'too-much' | 'work';

export interface QueueOptions {
  readonly system: Postgres;
  readonly blame: (error: unknown) => FailureCause;
  readonly onFailure: (failure: WorkFailure) => void;
}
