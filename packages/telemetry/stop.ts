import type { Log } from './log.ts';

/** Finishes what has begun when the process is asked to stop, but not for ever. */
export function onStop(name: string, log: Log, timeoutMs: number, stop: () => Promise<void>): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.say(`${name} stops`);
      setTimeout(() => process.exit(1), timeoutMs).unref();
      void stop().then(() => process.exit(0));
    });
  }
}
