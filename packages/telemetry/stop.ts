import type { Log } from './log.ts';

/** Shuts down gracefully on a stop signal, at most for the given time. */
export function onStop(name: string, log: Log, timeoutMs: number, stop: () => Promise<void>): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.say(`${name} stops`);
      setTimeout(() => process.exit(1), timeoutMs).unref();
      void stop().then(() => process.exit(0));
    });
  }
}
