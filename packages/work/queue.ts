import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyQueueHandler, QueueOptions } from './handler.ts';
import type { QueueKind } from './queues.ts';
import { takeTurn } from './turn.ts';
import { claimKeys, nextDueMs } from './turns.ts';

/** Others work on the same keys, and die. */
const longestIdleMs = 5_000;

/** Works a queue off until it is stopped. Any number may run, in any number of processes. */
export function startQueue(kind: QueueKind, handler: AnyQueueHandler, options: QueueOptions) {
  const { system, onFailure } = options;
  const { keysAtOnce = 1 } = kind;
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
  const nudge = () => {
    isWoken = true;
    wake();
  };

  /** When the next keys may be taken together: those that come a little later than others shall be in one batch. */
  let notBefore = 0;
  const turns = new Set<Promise<void>>();
  const failed = (error: unknown) => onFailure({ work: kind.name, key: undefined, error });

  const claim = async (): Promise<boolean> => {
    const holder = randomUUID();
    const found = await claimKeys(system, { queue: kind.name, holder }, keysAtOnce, kind.leaseSeconds);
    if (!found) return false;
    if (keysAtOnce > 1 && found.claimed.length < keysAtOnce) notBefore = performance.now() + kind.paceMs;
    // What cannot even be given back is somebody's again when the lease ends.
    const turn: Promise<void> = takeTurn({ ...found, kind, handler, holder, options, stopping: stopping.signal })
      .then(({ wasBusy, isMore }) => {
        if (isMore || !wasBusy) notBefore = 0;
      })
      .catch(failed)
      .finally(() => {
        turns.delete(turn);
        nudge();
      });
    turns.add(turn);
    return true;
  };

  const loop = async () => {
    while (!stopping.signal.aborted) {
      const restMs = notBefore - performance.now();
      try {
        if (turns.size === kind.atOnce) await Promise.race(turns);
        else if (restMs > 0) await idle(restMs);
        else if (!(await claim()))
          await idle(Math.min(longestIdleMs, (await nextDueMs(system, kind.name)) ?? longestIdleMs));
      } catch (error) {
        failed(error);
        await idle(1_000);
      }
    }
    await Promise.all(turns);
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
