import type { RedisClient } from '@tributary/redis';
import { dayMs } from '@tributary/vocabulary';
import { LRUCache } from 'lru-cache';

interface Count {
  readonly day: string;
  /** Of all collectors, when Redis was last asked. */
  total: number;
  /** Of this one, since then. */
  own: number;
}

const flushEveryMs = 500;
const keptSeconds = 2 * 24 * 60 * 60;
/** Whoever is over the quota comes back sooner than midnight: the plan may have been raised. */
const longestWaitSeconds = 3_600;

/**
 * Visits of a profile on this day (UTC), counted over all collectors. Each counts for itself and tells Redis twice a second, so
 * that a visit waits for nobody; a quota may be passed by what comes in within that time.
 */
export class DailyQuota {
  readonly #redis: RedisClient;
  readonly #now: () => Date;
  readonly #counts = new LRUCache<string, Count>({ max: 50_000 });
  readonly #timer: NodeJS.Timeout;
  #changed = new Map<string, Count>();

  constructor(redis: RedisClient, now: () => Date) {
    this.#redis = redis;
    this.#now = now;
    this.#timer = setInterval(() => void this.flush(), flushEveryMs).unref();
  }

  /** Counts the visits, or says after how many seconds to try again. */
  take(profileId: string, visits: number, perDay: number): { readonly retryAfterSeconds: number } | undefined {
    const now = this.#now();
    const day = now.toISOString().slice(0, 10);
    let count = this.#counts.get(profileId);
    if (count?.day !== day) {
      count = { day, total: 0, own: 0 };
      this.#counts.set(profileId, count);
    }
    if (count.total + count.own + visits > perDay) {
      const toMidnight = Math.ceil((Date.parse(`${day}T00:00:00Z`) + dayMs - now.getTime()) / 1_000);
      return { retryAfterSeconds: Math.min(Math.max(1, toMidnight), longestWaitSeconds) };
    }
    count.own += visits;
    this.#changed.set(profileId, count);
    return undefined;
  }

  /** What was counted and then not kept. */
  giveBack(profileId: string, visits: number): void {
    const count = this.#counts.get(profileId);
    if (!count) return;
    count.own -= visits;
    this.#changed.set(profileId, count);
  }

  async flush(): Promise<void> {
    const changed = this.#changed;
    this.#changed = new Map();
    await Promise.all([...changed].map(([profileId, count]) => this.#tell(profileId, count)));
  }

  close(): Promise<void> {
    clearInterval(this.#timer);
    return this.flush();
  }

  async #tell(profileId: string, count: Count): Promise<void> {
    const { own, day } = count;
    const key = `visits:${day}:${profileId}`;
    count.own -= own;
    count.total += own;
    try {
      const total = await this.#redis.incrby(key, own);
      if (total === own) await this.#redis.expire(key, keptSeconds);
      count.total = Math.max(total, 0);
    } catch {
      // While Redis is away each collector counts its own visits only, and goes on from there.
    }
  }
}
