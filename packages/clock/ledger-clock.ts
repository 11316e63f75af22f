import type { Clock } from './index.ts';

/** Less is network delay, and times within a process would step by it. */
const toleratedMs = 1_000;
const syncEveryMs = 5_000;
const firstSyncMs = 2_000;

/**
 * The machine's clock, corrected by PostgreSQL's. A process on a machine with a wrong clock then records nothing under a wrong
 * time. A step of the machine's clock between two readings of PostgreSQL's is noticed by the monotonic clock.
 */
export class LedgerClock implements Clock {
  #skewMs = 0;
  /** What the machine's clock showed when the monotonic clock was at 0, as of the last reading. */
  #originMs = origin();

  now(): Date {
    const skewMs = this.skewMs;
    return new Date(Date.now() - (Math.abs(skewMs) > toleratedMs ? skewMs : 0));
  }

  /** By how much the machine's clock is ahead of PostgreSQL's; negative where it is behind. */
  get skewMs(): number {
    const stepMs = origin() - this.#originMs;
    return this.#skewMs + (Math.abs(stepMs) > toleratedMs ? stepMs : 0);
  }

  /** `read` resolves to PostgreSQL's time in milliseconds. An answer that took long says little and is left out. */
  async sync(read: () => Promise<number>): Promise<void> {
    const [sentMs, since] = [Date.now(), performance.now()];
    const ledgerMs = await read();
    const tripMs = performance.now() - since;
    if (tripMs > toleratedMs) return;
    this.#originMs = origin();
    this.#skewMs = sentMs + tripMs / 2 - ledgerMs;
  }

  /** Resolves after the first reading, or without one while PostgreSQL is away, to what ends the readings. */
  async follow(read: () => Promise<number>): Promise<() => void> {
    // While PostgreSQL is away the last reading holds, and /readyz reports PostgreSQL.
    const sync = () => this.sync(read).catch(() => {});
    const timer = setInterval(sync, syncEveryMs).unref();
    await Promise.race([sync(), new Promise((resolve) => setTimeout(resolve, firstSyncMs).unref())]);
    return () => clearInterval(timer);
  }
}

const origin = () => Date.now() - performance.now();
