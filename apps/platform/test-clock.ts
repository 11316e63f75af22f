import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisClient } from '@tributary/redis';

/** The longest time until a process notices that the clock was advanced. */
const refreshMs = 100;

const offsetKey = 'test_clock:offset_ms';

/**
 * Real time plus an offset that all processes of an installation share through Redis, for conformance runs. Leases, job schedules
 * and rate limits use real time.
 */
export class TestClock {
  readonly #redis: RedisClient;
  readonly #timer: NodeJS.Timeout;
  #offsetMs = 0;

  private constructor(redis: RedisClient, onError: (error: unknown) => void) {
    this.#redis = redis;
    this.#timer = setInterval(() => this.#refresh().catch(onError), refreshMs);
    this.#timer.unref();
  }

  static async open(redis: RedisClient, onError: (error: unknown) => void): Promise<TestClock> {
    const clock = new TestClock(redis, onError);
    await clock.#refresh();
    return clock;
  }

  now(): Date {
    return new Date(Date.now() + this.#offsetMs);
  }

  /** Resolves once every process has had time to notice. */
  async advance(milliseconds: number): Promise<void> {
    this.#offsetMs = await this.#redis.incrby(offsetKey, milliseconds);
    await sleep(3 * refreshMs);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #refresh(): Promise<void> {
    this.#offsetMs = Number((await this.#redis.get(offsetKey)) ?? 0);
  }
}
