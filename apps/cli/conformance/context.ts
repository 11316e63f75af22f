import { setTimeout as sleep } from 'node:timers/promises';
import type { AppAccess } from './app-access.ts';
import type { Client } from './client.ts';
import type { InstallationClock } from './clock.ts';
import type { Receiver } from './receiver.ts';

/** What checks work with. All data that they make carries a name of this run, so that a run does not meet an earlier one. */
export interface Context {
  /** With the key that was given. */
  readonly api: Client;
  /** Without any credential. */
  readonly anonymous: Client;
  /** With another bearer. */
  as(secret: string): Client;
  readonly profileId: string;
  readonly app: AppAccess;
  readonly clock: InstallationClock;
  readonly receiver: Receiver;
  /** A name that nothing else has. */
  unique(name: string): string;
  /** Made by whichever check needs it first. */
  shared<T>(name: string, make: (context: Context) => Promise<T>): Promise<T>;
}

const patienceMs = 30_000;
const pauseMs = 250;

/** Repeats what fails until it passes: attribution and deliveries happen after the answer. */
export async function eventually<T>(attempt: () => Promise<T>, withinMs = patienceMs): Promise<T> {
  const until = performance.now() + withinMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > until) throw error;
      await sleep(pauseMs);
    }
  }
}
