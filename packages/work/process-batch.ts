import { faultOf } from './fault.ts';
import type { AnyQueueHandler, Item, KeyItems, LoadedItems, QueueOptions } from './handler.ts';
import {
  type Claim,
  type Claimed,
  extendLeases,
  holdLease,
  holdLeases,
  LeaseLost,
  releaseAfterBatch,
  releaseAfterFailure,
  releaseOnStop,
} from './leases.ts';
import { claimRetries, deleteParked, parkItem } from './parked.ts';
import type { QueueKind } from './queues.ts';

/** How many batches a single item may be too much for before it is parked. An overloaded store has recovered by then. */
const overloadAttempts = 5;

/** When more items of one key fail in a batch, the items are hardly the cause; the rest waits. */
const maxParked = 10;

export interface BatchContext extends Claim {
  readonly kind: QueueKind;
  readonly handler: AnyQueueHandler;
  readonly holder: string;
  readonly options: QueueOptions;
  /** Aborts when the process stops. */
  readonly stopping: AbortSignal;
}

/** The items of a key, and its earlier failures. */
interface Task extends KeyItems {
  readonly claimed: Claimed;
}

/**
 * Processes one batch of some keys, from reading their items to releasing the keys. Resolves to whether there were items, and whether more
 * wait.
 */
export async function processBatch(
  context: BatchContext,
): Promise<{ readonly wasBusy: boolean; readonly isMore: boolean }> {
  const { kind, holder, claimed, options, stopping } = context;
  const { system, blame, onFailure } = options;
  const keys = claimed.map(({ key }) => key);
  const leases = { queue: kind.name, holder, keys };
  const lost = new AbortController();
  const signal = AbortSignal.any([stopping, lost.signal]);
  const leaseTimer = setInterval(
    () =>
      extendLeases(system, leases, kind.leaseSeconds).then(
        (held) => held === 0 && lost.abort(new LeaseLost()),
        () => {},
      ),
    (kind.leaseSeconds * 1_000) / 3,
  );
  const failed = new Map<string, unknown>();
  const done = new Set<string>();
  let loaded: ReadonlyMap<string, LoadedItems> = new Map();
  try {
    loaded = await load(context, signal);
    const tasks = claimed.flatMap((one): Task[] => {
      const { items = [], isMore = false } = loaded.get(one.key) ?? {};
      if (items.length === 0) done.add(one.key);
      return items.length === 0 ? [] : [{ key: one.key, items, isMore, claimed: one }];
    });
    // Keys that failed before are tried separately, so that the search for the failing item does not delay the others.
    for (const group of [
      tasks.filter((task) => task.claimed.attempts === 0),
      tasks.filter((task) => task.claimed.attempts > 0),
    ])
      await processGroup({ ...context, signal, done, failed }, group);
  } catch (error) {
    if (error instanceof LeaseLost || lost.signal.aborted) return { wasBusy: true, isMore: false };
    if (stopping.aborted) {
      await releaseOnStop(system, leases);
      return { wasBusy: true, isMore: false };
    }
    for (const key of keys) if (!done.has(key) && !failed.has(key)) failed.set(key, error);
  } finally {
    clearInterval(leaseTimer);
  }
  // An unavailable store fails many keys at once with the same error, which is reported once.
  for (const error of new Set(failed.values())) {
    const failedKeys = [...failed].filter(([, one]) => one === error).map(([key]) => key);
    onFailure({ work: kind.name, key: failedKeys.length === 1 ? failedKeys[0] : undefined, error });
  }
  await releaseAfterFailure(
    system,
    leases,
    claimed
      .filter(({ key }) => failed.has(key))
      .map(({ key, attempts }) => {
        const error = failed.get(key);
        return {
          key,
          fault: faultOf(error),
          pauseSeconds: backoffSeconds(attempts, blame(error) === 'work' ? 300 : 15),
        };
      }),
  );
  const ends = keys
    .filter((key) => done.has(key))
    .map((key) => {
      const { items = [], isMore = false, retrySeconds, laterSeconds } = loaded.get(key) ?? {};
      return { key, wasBusy: items.length > 0, isMore, againSeconds: retrySeconds, laterSeconds };
    });
  await releaseAfterBatch(system, leases, ends, { bound: context.bound, paceMs: kind.paceMs });
  return {
    wasBusy: ends.some(({ wasBusy }) => wasBusy) || failed.size > 0,
    isMore: ends.some(({ isMore }) => isMore),
  };
}

async function load({ kind, handler, claimed, options: { system } }: BatchContext, signal: AbortSignal) {
  for (const { key } of claimed.filter(({ hasSetAside }) => hasSetAside))
    await system.unbound.transaction(async (tx) => {
      const ids = await claimRetries(tx, kind.name, key, kind.batchSize);
      if (ids.length > 0) await handler.unpark(tx, key, ids);
    });
  const keys = claimed.map(({ key }) => key);
  if ('loadAll' in handler)
    return system.unbound.transaction((tx) => handler.loadAll(tx, keys, kind.batchSize), { readOnly: true });
  const loaded = new Map<string, LoadedItems>();
  for (const key of keys) loaded.set(key, await handler.load(key, kind.batchSize, signal));
  return loaded;
}

interface GroupContext extends BatchContext {
  readonly signal: AbortSignal;
  readonly done: Set<string>;
  readonly failed: Map<string, unknown>;
}

/** Splits a failing group into halves until the failing key is found. The other keys are done. */
async function processGroup(group: GroupContext, tasks: readonly Task[]): Promise<void> {
  const [task] = tasks;
  if (!task) return;
  try {
    await callHandler(group, tasks);
    for (const { key } of tasks) group.done.add(key);
    return;
  } catch (error) {
    if (isExternal(group, error)) throw error;
    if (tasks.length === 1) {
      try {
        await isolate(group, task, error, { count: 0 });
        group.done.add(task.key);
      } catch (reason) {
        if (isExternal(group, reason)) throw reason;
        group.failed.set(task.key, reason);
      }
      return;
    }
  }
  const middle = tasks.length >> 1;
  await processGroup(group, tasks.slice(0, middle));
  await processGroup(group, tasks.slice(middle));
}

/** Not a failure of the work: the lease is lost, the process stops, or a store is unavailable. */
const isExternal = ({ signal, options }: GroupContext, error: unknown): boolean =>
  error instanceof LeaseLost || signal.aborted || options.blame(error) === 'away';

/** Splits the items of a key in the same way. An item that fails alone is parked; the others continue. */
async function isolate(group: GroupContext, task: Task, error: unknown, parked: { count: number }): Promise<void> {
  const { kind, handler, options } = group;
  const { key, items, claimed } = task;
  // A first failure is retried with the whole batch, because it may be caused by contention.
  if (claimed.attempts === 0) throw error;
  const [item] = items;
  if (items.length === 1 && item) {
    if (parked.count === maxParked || (options.blame(error) === 'too-much' && claimed.attempts < overloadAttempts))
      throw error;
    parked.count += 1;
    await options.system.unbound.transaction(async (tx) => {
      await handler.park(tx, key, item);
      await parkItem(tx, kind.name, key, item.id, faultOf(error));
    });
    options.onFailure({ work: kind.name, key, error });
    return;
  }
  const middle = items.length >> 1;
  for (const half of [
    { ...task, items: items.slice(0, middle), isMore: true },
    { ...task, items: items.slice(middle) },
  ]) {
    try {
      await callHandler(group, [half]);
    } catch (reason) {
      if (isExternal(group, reason)) throw reason;
      await isolate(group, half, reason, parked);
    }
  }
}

/** Passes the items to the handler, all together or key by key, depending on its kind. */
async function callHandler(
  { kind, handler, holder, signal, options: { system } }: GroupContext,
  tasks: readonly Task[],
) {
  const leases = { queue: kind.name, holder };
  if ('workAll' in handler) {
    const keys = tasks.map(({ key }) => key);
    await handler.workAll({
      batches: tasks.map(({ key, items, isMore }) => ({ key, items, isMore })),
      signal,
      settle: (act) =>
        system.unbound.transaction(async (tx) => {
          const held = await holdLeases(tx, { ...leases, keys });
          if (held.size === 0) throw new LeaseLost();
          return act(tx, held);
        }),
    });
  } else
    for (const { key, items, isMore } of tasks)
      await handler.work({ key, items, isMore, signal, renewLease: (tx) => holdLease(tx, { ...leases, key }) });
  for (const { key, items, claimed } of tasks)
    if (claimed.hasSetAside)
      await deleteParked(
        system,
        kind.name,
        key,
        items.map(({ id }: Item) => id),
      );
}

/** Doubles with each attempt, with jitter so that keys do not retry at the same moment. */
const backoffSeconds = (attempts: number, longest: number): number =>
  Math.min(longest, 2 ** Math.min(attempts, 20)) * (0.75 + Math.random() / 2);
