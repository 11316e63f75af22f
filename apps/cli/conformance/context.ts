import { setTimeout as sleep } from 'node:timers/promises';
import type { AppAccess } from './app-access.ts';
import type { Client } from './client.ts';
import type { InstallationClock } from './clock.ts';
import type { Receiver } from './receiver.ts';

/** The context of checks. All data that they create has a name unique to the run, so that runs do not affect each other. */
export interface Context {
  /** Authenticated with the key under test. */
  readonly api: Client;
  /** Without any credential. */
  readonly anonymous: Client;
  /** Authenticated with another bearer token. */
  as(secret: string): Client;
  readonly profileId: string;
  readonly app: AppAccess;
  readonly clock: InstallationClock;
  readonly receiver: Receiver;
  /** A name unique to this run. */
  unique(name: string): string;
  /** Created once, by the first check that needs it. */
  shared<T>(name: string, make: (context: Context) => Promise<T>): Promise<T>;
}

const patienceMs = 30_000;
const pauseMs = 250;

/** Retries until the attempt passes: attribution and deliveries happen after the response. */
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
