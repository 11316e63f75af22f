import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyQueueHandler, QueueOptions } from './handler.ts';
import { claimKeys, nextDueMs } from './leases.ts';
import { processBatch } from './process-batch.ts';
import type { QueueKind } from './queues.ts';

/** Upper limit of the wait, because other workers hold keys of the queue and may crash. */
const longestIdleMs = 5_000;

/** Processes a queue until it is stopped. Any number of workers may run, in any number of processes. */
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

  /** The earliest time of the next claim, so that keys that become due a little later join the same batch. */
  let notBefore = 0;
  const batches = new Set<Promise<void>>();
  const reportFailure = (error: unknown) => onFailure({ work: kind.name, key: undefined, error });

  const claim = async (): Promise<boolean> => {
    const holder = randomUUID();
    const result = await claimKeys(system, { queue: kind.name, holder }, keysAtOnce, kind.leaseSeconds);
    if (!result) return false;
    if (keysAtOnce > 1 && result.claimed.length < keysAtOnce) notBefore = performance.now() + kind.paceMs;
    // If even the release fails, other workers can claim the keys when the lease ends.
    const batch: Promise<void> = processBatch({ ...result, kind, handler, holder, options, stopping: stopping.signal })
      .then(({ wasBusy, isMore }) => {
        if (isMore || !wasBusy) notBefore = 0;
      })
      .catch(reportFailure)
      .finally(() => {
        batches.delete(batch);
        nudge();
      });
    batches.add(batch);
    return true;
  };

  const loop = async () => {
    while (!stopping.signal.aborted) {
      const waitMs = notBefore - performance.now();
      try {
        if (batches.size === kind.atOnce) await Promise.race(batches);
        else if (waitMs > 0) await idle(waitMs);
        else if (!(await claim()))
          await idle(Math.min(longestIdleMs, (await nextDueMs(system, kind.name)) ?? longestIdleMs));
      } catch (error) {
        reportFailure(error);
        await idle(1_000);
      }
    }
    await Promise.all(batches);
  };
  const done = loop();
  return {
    /** Checks the queue at once instead of after the wait. */
    nudge,
    stop: () => {
      stopping.abort();
      return done;
    },
  };
}
