import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Postgres, Tx } from '@tributary/postgres';
import { faultOf } from './fault.ts';
import type { QueueKind } from './queues.ts';
import { forgetSetAside, insertSetAside, takeWanted } from './set-aside.ts';
import {
  type Claimed,
  claimKey,
  dropTurn,
  endTurn,
  failTurn,
  holdLease,
  type Lease,
  LeaseLost,
  nextDueMs,
  prolong,
} from './turns.ts';

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

export interface Batch<I extends Item = Item> {
  readonly key: string;
  readonly items: readonly I[];
  /** More waits than these. */
  readonly isMore: boolean;
  /** The process stops, or the key is no longer ours. */
  readonly signal: AbortSignal;
  /** For the transaction that says that these are done: fails when the key is no longer ours. */
  hold(tx: Tx): Promise<void>;
}

/** How a queue is worked off. All of it may happen twice: a worker can die after its last effect. */
export interface QueueHandler<I extends Item = Item> {
  /** What waits under a key, those first that waited longest. */
  take(key: string, limit: number, signal: AbortSignal): Promise<Taken<I>>;
  /** Does all of these, and takes them off the room's own table. */
  work(batch: Batch<I>): Promise<void>;
  /** So that it is not taken any more. As the role that works the queues, for this and the next. */
  setAside(tx: Tx, key: string, item: I): Promise<void>;
  /** So that they are taken again. */
  putBack(tx: Tx, key: string, ids: readonly string[]): Promise<void>;
}

export interface WorkFailure {
  /** The name of a queue or a job. */
  readonly work: string;
  /** Whose work it was. */
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

/** Turns that one item by itself is too much for, before it is its own fault. An engine that is only busy has recovered by then. */
const patience = 5;

/** More of one key's items in one turn fail for a reason that is hardly theirs; the rest waits. */
const mostSetAside = 10;

/** Others work on the same keys, and die. */
const longestIdleMs = 5_000;

/** Works a queue off until it is stopped. Any number may run, in any number of processes. */
export function startQueue(kind: QueueKind, handler: QueueHandler, { system, blame, onFailure }: QueueOptions) {
  const stopping = new AbortController();
  let wake = () => {};
  let isWoken = false;
  const idle = async (ms: number) => {
    if (!isWoken) {
      const woken = new AbortController();
      wake = () => woken.abort();
      const signal = AbortSignal.any([stopping.signal, woken.signal]);
      await sleep(ms, undefined, { signal }).catch(() => {});
    }
    isWoken = false;
  };

  /** Halves what fails until the one is found that does; it is set aside and the others go on. */
  const workOff = async (batch: Batch, claimed: Claimed, aside: { count: number }): Promise<void> => {
    const { items, key, signal } = batch;
    try {
      await handler.work(batch);
      if (claimed.hasSetAside)
        await forgetSetAside(
          system,
          kind.name,
          key,
          items.map(({ id }) => id),
        );
      return;
    } catch (error) {
      const fault = blame(error);
      // What fails for the first time is tried again whole: it may have been in somebody's way.
      if (error instanceof LeaseLost || signal.aborted || fault === 'away' || claimed.attempts === 0) throw error;
      const [item] = items;
      if (items.length === 1 && item) {
        if (aside.count === mostSetAside || (fault === 'too-much' && claimed.attempts < patience)) throw error;
        aside.count += 1;
        await system.unbound.transaction(async (tx) => {
          await handler.setAside(tx, key, item);
          await insertSetAside(tx, kind.name, key, item.id, faultOf(error));
        });
        onFailure({ work: kind.name, key, error });
        return;
      }
    }
    const middle = items.length >> 1;
    await workOff({ ...batch, items: items.slice(0, middle), isMore: true }, claimed, aside);
    await workOff({ ...batch, items: items.slice(middle) }, claimed, aside);
  };

  const takeTurn = async (claimed: Claimed, lease: Lease): Promise<void> => {
    const lost = new AbortController();
    const signal = AbortSignal.any([stopping.signal, lost.signal]);
    const keep = setInterval(
      () =>
        prolong(system, lease, kind.leaseSeconds).catch((error) => {
          if (error instanceof LeaseLost) lost.abort(error);
        }),
      (kind.leaseSeconds * 1_000) / 3,
    );
    const { key } = claimed;
    try {
      if (claimed.hasSetAside)
        await system.unbound.transaction(async (tx) => {
          const ids = await takeWanted(tx, kind.name, key, kind.batchSize);
          if (ids.length > 0) await handler.putBack(tx, key, ids);
        });
      const { items, isMore, againSeconds, laterSeconds } = await handler.take(key, kind.batchSize, signal);
      const hold = (tx: Tx) => holdLease(tx, lease);
      if (items.length > 0) await workOff({ key, items, isMore, signal, hold }, claimed, { count: 0 });
      const wasBusy = items.length > 0;
      const { bound } = claimed;
      await endTurn(system, lease, { bound, wasBusy, isMore, againSeconds, laterSeconds, paceMs: kind.paceMs });
    } catch (error) {
      if (error instanceof LeaseLost || lost.signal.aborted) return;
      if (stopping.signal.aborted) {
        await dropTurn(system, lease);
        return;
      }
      onFailure({ work: kind.name, key, error });
      await failTurn(system, lease, {
        fault: faultOf(error),
        pauseSeconds: pauseAfter(claimed.attempts, blame(error) === 'work' ? 300 : 15),
      });
    } finally {
      clearInterval(keep);
    }
  };

  const loop = async () => {
    const turns = new Set<Promise<void>>();
    const failed = (error: unknown) => onFailure({ work: kind.name, key: undefined, error });
    while (!stopping.signal.aborted) {
      if (turns.size === kind.atOnce) {
        await Promise.race(turns);
        continue;
      }
      try {
        const holder = randomUUID();
        const claimed = await claimKey(system, kind.name, holder, kind.leaseSeconds);
        if (claimed) {
          const lease = { queue: kind.name, key: claimed.key, holder };
          // What cannot even be given back is somebody's again when the lease ends.
          const turn: Promise<void> = takeTurn(claimed, lease)
            .catch(failed)
            .finally(() => {
              turns.delete(turn);
              nudge();
            });
          turns.add(turn);
        } else await idle(Math.min(longestIdleMs, (await nextDueMs(system, kind.name)) ?? longestIdleMs));
      } catch (error) {
        failed(error);
        await idle(1_000);
      }
    }
    await Promise.all(turns);
  };
  const nudge = () => {
    isWoken = true;
    wake();
  };
  const done = loop();
  return {
    /** There may be something to do. */
    nudge,
    stop: () => {
      stopping.abort();
      return done;
    },
  };
}

/** Twice as long each time, and not everybody's at the same moment. */
const pauseAfter = (attempts: number, longest: number): number =>
  Math.min(longest, 2 ** Math.min(attempts, 20)) * (0.75 + Math.random() / 2);
