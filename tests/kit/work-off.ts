import type { Postgres } from '@tributary/postgres';
import { keysWaiting, type QueueHandler, type QueueName, queues } from '@tributary/work';

/** Does what waits in a queue, of one key or of all, as a worker would that is alone. Resolves to how many items were done. */
export async function workOff(
  system: Postgres,
  queue: QueueName,
  handler: QueueHandler,
  only?: string,
): Promise<number> {
  const kind = queues[queue];
  const signal = AbortSignal.timeout(120_000);
  let done = 0;
  for await (const keys of keysWaiting(system, kind)) {
    for (const key of keys.filter((one) => !only || one === only)) {
      for (let isMore = true; isMore; ) {
        const taken = await handler.take(key, kind.batchSize, signal);
        if (taken.items.length > 0) await handler.work({ key, ...taken, signal, hold: async () => {} });
        done += taken.items.length;
        isMore = taken.isMore;
      }
    }
  }
  return done;
}
