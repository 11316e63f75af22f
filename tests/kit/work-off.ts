import type { Postgres } from '@tributary/postgres';
import { type AnyQueueHandler, keysWaiting, type QueueName, queues } from '@tributary/work';

/** Does what waits in a queue, of one key or of all, as a worker would that is alone. Resolves to how many items were done. */
export async function workOff(
  system: Postgres,
  queue: QueueName,
  handler: AnyQueueHandler,
  only?: string,
): Promise<number> {
  const kind = queues[queue];
  const signal = AbortSignal.timeout(120_000);
  let done = 0;
  for await (const keys of keysWaiting(system, kind)) {
    const wanted = keys.filter((one) => !only || one === only);
    if ('workAll' in handler) done += await workTogether(system, handler, wanted, kind.batchSize, signal);
    else
      for (const key of wanted) {
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

async function workTogether(
  system: Postgres,
  handler: Extract<AnyQueueHandler, { workAll: unknown }>,
  keys: readonly string[],
  limit: number,
  signal: AbortSignal,
): Promise<number> {
  let done = 0;
  for (let left = keys; left.length > 0; ) {
    const taken = await system.unbound.transaction((tx) => handler.takeAll(tx, left, limit));
    const batches = [...taken].filter(([, { items }]) => items.length > 0).map(([key, one]) => ({ key, ...one }));
    const held = new Set(batches.map(({ key }) => key));
    if (batches.length > 0)
      await handler.workAll({ batches, signal, settle: (act) => system.unbound.transaction((tx) => act(tx, held)) });
    for (const { items } of batches) done += items.length;
    left = batches.filter(({ isMore }) => isMore).map(({ key }) => key);
  }
  return done;
}
