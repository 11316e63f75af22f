import type { Clock } from './index.ts';

/** A smaller skew is network delay; correcting it would make times within a process jump. */
const toleratedMs = 1_000;
const syncEveryMs = 5_000;
const firstSyncMs = 2_000;

/**
 * The machine's clock, corrected by PostgreSQL's, so that a process on a machine with a wrong clock records no wrong times. The monotonic
 * clock detects steps of the machine's clock between two syncs.
 */
export class LedgerClock implements Clock {
  #skewMs = 0;
  /** The machine's time at the origin of the monotonic clock, as of the last sync. */
  #originMs = origin();

  now(): Date {
    const skewMs = this.skewMs;
    return new Date(Date.now() - (Math.abs(skewMs) > toleratedMs ? skewMs : 0));
  }

  /** How far the machine's clock is ahead of PostgreSQL's; negative if it is behind. */
  get skewMs(): number {
    const stepMs = origin() - this.#originMs;
    return this.#skewMs + (Math.abs(stepMs) > toleratedMs ? stepMs : 0);
  }

  /** `read` resolves to PostgreSQL's time in milliseconds. A slow answer is imprecise and is ignored. */
  async sync(read: () => Promise<number>): Promise<void> {
    const [sentMs, since] = [Date.now(), performance.now()];
    const ledgerMs = await read();
    const tripMs = performance.now() - since;
    if (tripMs > toleratedMs) return;
    this.#originMs = origin();
    this.#skewMs = sentMs + tripMs / 2 - ledgerMs;
  }

  /** Resolves after the first sync, or without one while PostgreSQL is unavailable, to a function that stops the syncs. */
  async follow(read: () => Promise<number>): Promise<() => void> {
    // While PostgreSQL is unavailable the last sync stays in use, and /readyz reports PostgreSQL.
    const sync = () => this.sync(read).catch(() => {});
    const timer = setInterval(sync, syncEveryMs).unref();
    await Promise.race([sync(), new Promise((resolve) => setTimeout(resolve, firstSyncMs).unref())]);
    return () => clearInterval(timer);
  }
}

const origin = () => Date.now() - performance.now();
