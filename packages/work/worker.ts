import { setTimeout as sleep } from 'node:timers/promises';
import { listen, type Postgres } from '@tributary/postgres';
import type { AnyQueueHandler, QueueOptions } from './handler.ts';
import { noteWaiting } from './leases.ts';
import { startQueue } from './queue.ts';
import { type QueueKind, type QueueName, queues } from './queues.ts';
import { keysWaiting } from './waiting.ts';

export type QueueHandlers = { readonly [Q in QueueName]: AnyQueueHandler };

export interface QueueWorkerOptions extends QueueOptions {
  readonly systemUrl: string;
  /** The handlers of the queues that this process works on. */
  readonly handlers: Partial<QueueHandlers>;
  /** Overrides a queue's declared numbers in this process. */
  readonly numbers?: Partial<Pick<QueueKind, 'batchSize' | 'leaseSeconds' | 'paceMs' | 'atOnce' | 'keysAtOnce'>>;
  /** How often to search for items whose notification was missed. */
  readonly sweepMs?: number;
}

/** Processes queues until it is stopped: at once when an item is announced, and every half minute for items whose notification was lost. */
export function startQueueWorker(options: QueueWorkerOptions): { stop(): Promise<void> } {
  const { system, systemUrl, handlers, onFailure, numbers = {}, sweepMs = 30_000 } = options;
  const stopping = new AbortController();
  const running = new Map<string, ReturnType<typeof startQueue>>();
  const kinds: QueueKind[] = [];
  for (const [name, handler] of Object.entries(handlers) as [QueueName, AnyQueueHandler][]) {
    const kind = { ...queues[name], ...numbers };
    kinds.push(kind);
    running.set(kind.name, startQueue(kind, handler, options));
  }
  const reportFailure = (error: unknown) => onFailure({ work: 'queues', key: undefined, error });

  const announced = new Map<string, { queue: string; key: string }>();
  let writing: Promise<void> | undefined;
  /** Notifications that arrive during a write are written together afterwards. */
  const writeAnnounced = async () => {
    while (announced.size > 0) {
      const waiting = [...announced.values()];
      announced.clear();
      await noteWaiting(system, waiting).catch(reportFailure);
      for (const queue of new Set(waiting.map((one) => one.queue))) running.get(queue)?.nudge();
    }
    writing = undefined;
  };
  const onAnnounced = (message: string) => {
    const [queue = '', key = ''] = message.split(' ');
    if (!running.has(queue)) return;
    announced.set(message, { queue, key });
    writing ??= writeAnnounced();
  };

  let sweeping: Promise<void> = Promise.resolve();
  const sweepNow = () => {
    sweeping = sweeping
      .then(() => sweep(system, kinds, stopping.signal, (name) => running.get(name)?.nudge()))
      .catch(reportFailure);
    return sweeping;
  };
  const listener = listen(systemUrl, 'tributary_work', {
    onMessage: onAnnounced,
    onConnect: () => void sweepNow(),
    onError: reportFailure,
  });
  const sweepLoop = (async () => {
    while (!stopping.signal.aborted) {
      await sleep(sweepMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (!stopping.signal.aborted) await sweepNow();
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await listener.close();
      await Promise.all([...running.values()].map((queue) => queue.stop()));
      await Promise.all([sweepLoop, sweeping, writing]);
    },
  };
}

/** Finds waiting keys whose notifications were missed, because notifications reach only connected listeners. */
async function sweep(
  system: Postgres,
  kinds: readonly QueueKind[],
  signal: AbortSignal,
  nudge: (queue: string) => void,
): Promise<void> {
  for (const kind of kinds) {
    for await (const keys of keysWaiting(system, kind)) {
      if (signal.aborted) return;
      await noteWaiting(
        system,
        keys.map((key) => ({ queue: kind.name, key })),
      );
      nudge(kind.name);
    }
  }
}
