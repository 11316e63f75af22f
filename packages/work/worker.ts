import { setTimeout as sleep } from 'node:timers/promises';
import { listen, type Postgres } from '@tributary/postgres';
import type { AnyQueueHandler, QueueOptions } from './handler.ts';
import { startQueue } from './queue.ts';
import { type QueueKind, type QueueName, queues } from './queues.ts';
import { noteWaiting } from './turns.ts';
import { keysWaiting } from './waiting.ts';

export type QueueHandlers = { readonly [Q in QueueName]: AnyQueueHandler };

export interface QueueWorkerOptions extends QueueOptions {
  readonly systemUrl: string;
  /** Some of them, for a process that has only these to do. */
  readonly handlers: Partial<QueueHandlers>;
  /** A queue's numbers for this process, where they are not the declared ones. */
  readonly numbers?: Partial<Pick<QueueKind, 'batchSize' | 'leaseSeconds' | 'paceMs' | 'atOnce' | 'keysAtOnce'>>;
  /** How often to look for what no notification told of. */
  readonly sweepMs?: number;
}

/** Works the queues off until it is stopped: at once when something is left in them, and every half minute what that was lost for. */
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
  const failed = (error: unknown) => onFailure({ work: 'queues', key: undefined, error });

  const told = new Map<string, { queue: string; key: string }>();
  let noting: Promise<void> | undefined;
  /** What comes while the last was being noted is noted together. */
  const note = async () => {
    while (told.size > 0) {
      const waiting = [...told.values()];
      told.clear();
      await noteWaiting(system, waiting).catch(failed);
      for (const queue of new Set(waiting.map((one) => one.queue))) running.get(queue)?.nudge();
    }
    noting = undefined;
  };
  const hear = (message: string) => {
    const [queue = '', key = ''] = message.split(' ');
    if (!running.has(queue)) return;
    told.set(message, { queue, key });
    noting ??= note();
  };

  let sweeping: Promise<void> = Promise.resolve();
  const sweepNow = () => {
    sweeping = sweeping
      .then(() => sweep(system, kinds, stopping.signal, (name) => running.get(name)?.nudge()))
      .catch(failed);
    return sweeping;
  };
  const listener = listen(systemUrl, 'tributary_work', {
    onMessage: hear,
    onConnect: () => void sweepNow(),
    onError: failed,
  });
  const regularly = (async () => {
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
      await Promise.all([regularly, sweeping, noting]);
    },
  };
}

/** Finds what waits though nobody was told: notifications reach only those who listen at the time. */
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
