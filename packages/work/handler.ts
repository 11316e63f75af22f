import type { Postgres, Tx } from '@tributary/postgres';

/** One thing that waits under a key. */
export interface Item {
  readonly id: string;
}

export interface Taken<I extends Item = Item> {
  readonly items: readonly I[];
  /** More waits than was asked for. */
  readonly isMore: boolean;
  /** Something waits that cannot be done yet, and whatever is left meanwhile waits with it: look again after so many seconds. */
  readonly againSeconds?: number | undefined;
  /** The same, but whatever is left meanwhile is looked at at once. */
  readonly laterSeconds?: number | undefined;
}

/** What of a key is to be done. */
export interface KeyItems<I extends Item = Item> {
  readonly key: string;
  readonly items: readonly I[];
  /** More waits than these. */
  readonly isMore: boolean;
}

export interface Batch<I extends Item = Item> extends KeyItems<I> {
  /** The process stops, or the key is no longer ours. */
  readonly signal: AbortSignal;
  /** For the transaction that says that these are done: fails when the key is no longer ours. */
  hold(tx: Tx): Promise<void>;
}

interface Shelf<I extends Item> {
  /** So that it is not taken any more. As the role that works the queues, for this and the next. */
  setAside(tx: Tx, key: string, item: I): Promise<void>;
  /** So that they are taken again. */
  putBack(tx: Tx, key: string, ids: readonly string[]): Promise<void>;
}

/** How a queue is worked off, key by key. All of it may happen twice: a worker can die after its last effect. */
export interface QueueHandler<I extends Item = Item> extends Shelf<I> {
  /** What waits under a key, those first that waited longest. */
  take(key: string, limit: number, signal: AbortSignal): Promise<Taken<I>>;
  /** Does all of these, and takes them off the room's own table. */
  work(batch: Batch<I>): Promise<void>;
}

export interface Group<I extends Item = Item> {
  readonly batches: readonly KeyItems<I>[];
  /** The process stops, or none of the keys is ours any longer. */
  readonly signal: AbortSignal;
  /**
   * A transaction, as the role that works the queues, that says what is done. It gets the keys that are still ours; they stay so until it
   * ends. Fails when none is.
   */
  settle<T>(act: (tx: Tx, held: ReadonlySet<string>) => Promise<T>): Promise<T>;
}

/** How a queue is worked off, many keys together: for work that costs the same for one of them and for hundreds. */
export interface GroupHandler<I extends Item = Item> extends Shelf<I> {
  /** What waits under these keys, about so many in all, each key's in order of waiting. As the role that works the queues. */
  takeAll(tx: Tx, keys: readonly string[], limit: number): Promise<ReadonlyMap<string, Taken<I>>>;
  /** Does all of these or fails as a whole: then it is given fewer keys, until the one is found that spoils it. */
  workAll(group: Group<I>): Promise<void>;
}

export type AnyQueueHandler<I extends Item = Item> = QueueHandler<I> | GroupHandler<I>;

export interface WorkFailure {
  /** The name of a queue or a job. */
  readonly work: string;
  /** Whose work it was; undefined where it was that of many. */
  readonly key: string | undefined;
  readonly error: unknown;
}

/** Whose fault a failure is: an engine's that is away, that of too much at once, or what is worked on. */
export type Blame = 'away' | 'too-much' | 'work';

export interface QueueOptions {
  readonly system: Postgres;
  readonly blame: (error: unknown) => Blame;
  readonly onFailure: (failure: WorkFailure) => void;
}
