import type { Clock } from './index.ts';

/** Smaller skew is mostly network delay. Correcting it would make the time of a process jump back and forth. */
const toleratedMs = 1_000;
const syncEveryMs = 5_000;
const firstSyncMs = 2_000;

/**
 * The machine's clock, corrected to PostgreSQL's, so that clock skew does not put wrong timestamps on records. Between two readings of
 * PostgreSQL's clock, the monotonic clock detects steps of the machine's clock.
 */
export class LedgerClock implements Clock {
  #skewMs = 0;
  /** The machine's time at zero of the monotonic clock, as of the last reading. */
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

  /** `read` resolves to PostgreSQL's time in milliseconds. Slow readings are ignored because they are inaccurate. */
  async sync(read: () => Promise<number>): Promise<void> {
    const [sentMs, since] = [Date.now(), performance.now()];
    const ledgerMs = await read();
    const tripMs = performance.now() - since;
    if (tripMs > toleratedMs) return;
    this.#originMs = origin();
    this.#skewMs = sentMs + tripMs / 2 - ledgerMs;
  }

  /** Reads periodically. Resolves after the first reading or a timeout, to a function that stops the readings. */
  async follow(read: () => Promise<number>): Promise<() => void> {
    // While PostgreSQL is unavailable, the last skew applies and /readyz reports PostgreSQL.
    const sync = () => this.sync(read).catch(() => {});
    const timer = setInterval(sync, syncEveryMs).unref();
    await Promise.race([sync(), new Promise((resolve) => setTimeout(resolve, firstSyncMs).unref())]);
    return () => clearInterval(timer);
  }
}

const origin = () => Date.now() - performance.now();
