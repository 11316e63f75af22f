import type { Postgres } from '@tributary/postgres';
import { type AnyQueueHandler, keysWaiting, type QueueName, queues } from '@tributary/work';

/** Processes the queued items of one key or of all keys, like a single worker. Resolves to the number of processed items. */
export async function processQueue(
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
          const batch = await handler.load(key, kind.batchSize, signal);
          if (batch.items.length > 0) await handler.work({ key, ...batch, signal, renewLease: async () => {} });
          done += batch.items.length;
          isMore = batch.isMore;
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
    const claimed = await system.unbound.transaction((tx) => handler.loadAll(tx, left, limit));
    const batches = [...claimed].filter(([, { items }]) => items.length > 0).map(([key, one]) => ({ key, ...one }));
    const held = new Set(batches.map(({ key }) => key));
    if (batches.length > 0)
      await handler.workAll({ batches, signal, settle: (act) => system.unbound.transaction((tx) => act(tx, held)) });
    for (const { items } of batches) done += items.length;
    left = batches.filter(({ isMore }) => isMore).map(({ key }) => key);
  }
  return done;
}
