import { faultOf } from './fault.ts';
import type { AnyQueueHandler, Item, KeyItems, QueueOptions, Taken } from './handler.ts';
import type { QueueKind } from './queues.ts';
import { forgetSetAside, insertSetAside, takeWanted } from './set-aside.ts';
import {
  type Claim,
  type Claimed,
  dropTurns,
  endTurns,
  failTurns,
  holdLease,
  holdLeases,
  LeaseLost,
  prolong,
} from './turns.ts';

/** Turns that one item by itself is too much for, before it is its own fault. An engine that is only busy has recovered by then. */
const patience = 5;

/** More of one key's items in one turn fail for a reason that is hardly theirs; the rest waits. */
const mostSetAside = 10;

export interface Turn extends Claim {
  readonly kind: QueueKind;
  readonly handler: AnyQueueHandler;
  readonly holder: string;
  readonly options: QueueOptions;
  /** The process stops. */
  readonly stopping: AbortSignal;
}

/** What a key has to do, and how it fared before. */
interface Task extends KeyItems {
  readonly claimed: Claimed;
}

/** One turn of some keys, from what waits under them to their being given back. Resolves to whether there was anything, and more. */
export async function takeTurn(turn: Turn): Promise<{ readonly wasBusy: boolean; readonly isMore: boolean }> {
  const { kind, holder, claimed, options, stopping } = turn;
  const { system, blame, onFailure } = options;
  const keys = claimed.map(({ key }) => key);
  const leases = { queue: kind.name, holder, keys };
  const lost = new AbortController();
  const signal = AbortSignal.any([stopping, lost.signal]);
  const keep = setInterval(
    () =>
      prolong(system, leases, kind.leaseSeconds).then(
        (held) => held === 0 && lost.abort(new LeaseLost()),
        () => {},
      ),
    (kind.leaseSeconds * 1_000) / 3,
  );
  const failed = new Map<string, unknown>();
  const done = new Set<string>();
  let taken: ReadonlyMap<string, Taken> = new Map();
  try {
    taken = await take(turn, signal);
    const tasks = claimed.flatMap((one): Task[] => {
      const { items = [], isMore = false } = taken.get(one.key) ?? {};
      if (items.length === 0) done.add(one.key);
      return items.length === 0 ? [] : [{ key: one.key, items, isMore, claimed: one }];
    });
    // Who failed before is tried apart from the others, who need not wait while it is found out what fails.
    for (const group of [
      tasks.filter((task) => task.claimed.attempts === 0),
      tasks.filter((task) => task.claimed.attempts > 0),
    ])
      await workOff({ ...turn, signal, done, failed }, group);
  } catch (error) {
    if (error instanceof LeaseLost || lost.signal.aborted) return { wasBusy: true, isMore: false };
    if (stopping.aborted) {
      await dropTurns(system, leases);
      return { wasBusy: true, isMore: false };
    }
    for (const key of keys) if (!done.has(key) && !failed.has(key)) failed.set(key, error);
  } finally {
    clearInterval(keep);
  }
  // An engine that is away fails many keys at once, and is told once.
  for (const error of new Set(failed.values())) {
    const whose = [...failed].filter(([, one]) => one === error).map(([key]) => key);
    onFailure({ work: kind.name, key: whose.length === 1 ? whose[0] : undefined, error });
  }
  await failTurns(
    system,
    leases,
    claimed
      .filter(({ key }) => failed.has(key))
      .map(({ key, attempts }) => {
        const error = failed.get(key);
        return {
          key,
          fault: faultOf(error),
          pauseSeconds: pauseAfter(attempts, blame(error) === 'work' ? 300 : 15),
        };
      }),
  );
  const ends = keys
    .filter((key) => done.has(key))
    .map((key) => {
      const { items = [], isMore = false, againSeconds, laterSeconds } = taken.get(key) ?? {};
      return { key, wasBusy: items.length > 0, isMore, againSeconds, laterSeconds };
    });
  await endTurns(system, leases, ends, { bound: turn.bound, paceMs: kind.paceMs });
  return {
    wasBusy: ends.some(({ wasBusy }) => wasBusy) || failed.size > 0,
    isMore: ends.some(({ isMore }) => isMore),
  };
}

async function take({ kind, handler, claimed, options: { system } }: Turn, signal: AbortSignal) {
  for (const { key } of claimed.filter(({ hasSetAside }) => hasSetAside))
    await system.unbound.transaction(async (tx) => {
      const ids = await takeWanted(tx, kind.name, key, kind.batchSize);
      if (ids.length > 0) await handler.putBack(tx, key, ids);
    });
  const keys = claimed.map(({ key }) => key);
  if ('takeAll' in handler)
    return system.unbound.transaction((tx) => handler.takeAll(tx, keys, kind.batchSize), { readOnly: true });
  const taken = new Map<string, Taken>();
  for (const key of keys) taken.set(key, await handler.take(key, kind.batchSize, signal));
  return taken;
}

interface Work extends Turn {
  readonly signal: AbortSignal;
  readonly done: Set<string>;
  readonly failed: Map<string, unknown>;
}

/** Halves what fails until the key is found that does. The others are done. */
async function workOff(work: Work, tasks: readonly Task[]): Promise<void> {
  const [task] = tasks;
  if (!task) return;
  try {
    await give(work, tasks);
    for (const { key } of tasks) work.done.add(key);
    return;
  } catch (error) {
    if (isNobodys(work, error)) throw error;
    if (tasks.length === 1) {
      try {
        await isolate(work, task, error, { count: 0 });
        work.done.add(task.key);
      } catch (reason) {
        if (isNobodys(work, reason)) throw reason;
        work.failed.set(task.key, reason);
      }
      return;
    }
  }
  const middle = tasks.length >> 1;
  await workOff(work, tasks.slice(0, middle));
  await workOff(work, tasks.slice(middle));
}

/** The keys are no longer ours, the process stops or an engine is away: nothing is wrong with the work. */
const isNobodys = ({ signal, options }: Work, error: unknown): boolean =>
  error instanceof LeaseLost || signal.aborted || options.blame(error) === 'away';

/** The same within a key: the item is found that fails by itself, and is set aside; the others go on. */
async function isolate(work: Work, task: Task, error: unknown, aside: { count: number }): Promise<void> {
  const { kind, handler, options } = work;
  const { key, items, claimed } = task;
  // What fails for the first time is tried again whole: it may have been in somebody's way.
  if (claimed.attempts === 0) throw error;
  const [item] = items;
  if (items.length === 1 && item) {
    if (aside.count === mostSetAside || (options.blame(error) === 'too-much' && claimed.attempts < patience))
      throw error;
    aside.count += 1;
    await options.system.unbound.transaction(async (tx) => {
      await handler.setAside(tx, key, item);
      await insertSetAside(tx, kind.name, key, item.id, faultOf(error));
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
      await give(work, [half]);
    } catch (reason) {
      if (isNobodys(work, reason)) throw reason;
      await isolate(work, half, reason, aside);
    }
  }
}

/** To the handler, all together or one by one, as it takes them. */
async function give({ kind, handler, holder, signal, options: { system } }: Work, tasks: readonly Task[]) {
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
      await handler.work({ key, items, isMore, signal, hold: (tx) => holdLease(tx, { ...leases, key }) });
  for (const { key, items, claimed } of tasks)
    if (claimed.hasSetAside)
      await forgetSetAside(
        system,
        kind.name,
        key,
        items.map(({ id }: Item) => id),
      );
}

/** Twice as long each time, and not everybody's at the same moment. */
const pauseAfter = (attempts: number, longest: number): number =>
  Math.min(longest, 2 ** Math.min(attempts, 20)) * (0.75 + Math.random() / 2);
