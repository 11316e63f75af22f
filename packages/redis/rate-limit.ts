import type { Result } from 'ioredis';
import { Breaker } from './breaker.ts';
import type { RedisClient } from './client.ts';

/**
 * GCRA: one number per bucket, the time at which it would be empty again. A client may send `limit` requests at once and then one every `60
 * / limit` seconds, for a window of a minute. There is no fixed window to straddle and no second counter.
 */
export interface Verdict {
  readonly allowed: boolean;
  /** Decided by this process alone because Redis is unavailable. */
  readonly isLocal?: true;
  readonly limit: number;
  readonly remaining: number;
  /** When the whole limit is available again. */
  readonly resetAtSeconds: number;
  readonly retryAfterSeconds: number;
}

export interface RateLimiter {
  take(bucket: string, limit: number, terms?: LimitOptions): Promise<Verdict>;
}

export interface LimitOptions {
  /** The window of the limit; a minute by default. */
  readonly windowMs?: number;
  /** How much of the limit this request takes. */
  readonly cost?: number;
}

/** Times are in microseconds. */
interface Rate {
  readonly limit: number;
  readonly window: number;
  readonly cost: number;
}

const rateOf = (limit: number, { windowMs = 60_000, cost = 1 }: LimitOptions = {}): Rate => ({
  limit,
  window: windowMs * 1_000,
  cost,
});

/** Counts in Redis, for all processes. */
export interface SharedLimiter extends RateLimiter {
  /**
   * Takes up to `wanted` at once from a per-minute limit. Rejects while Redis is unavailable. Times are in microseconds of Redis's clock.
   */
  takeMany(bucket: string, limit: number, wanted: number): Promise<{ taken: number; now: number; emptyAt: number }>;
  /** Rejects unless Redis can count, which excludes a server that answers but rejects writes. */
  look(): Promise<void>;
}

/**
 * Uses Redis's clock, so that all processes count alike. Takes up to ARGV[2] at once and returns how many were available. As in
 * `emptyFrom`, a clock that went back causes no refusals. Times are in microseconds.
 */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local full = tonumber(ARGV[3])
local interval = full / ARGV[1] * ARGV[4]
local empty_at = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
if empty_at > now + full + 1000000 then empty_at = now end
local taken = math.min(tonumber(ARGV[2]), math.floor((full - (empty_at - now)) / interval + 0.000001))
if taken > 0 then
  local later = empty_at + taken * interval
  redis.call('SET', KEYS[1], string.format('%.0f', later), 'PX', math.ceil((later - now) / 1000) + 1000)
end
return {taken, string.format('%.0f', now), string.format('%.0f', empty_at)}
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeFromBucket(
      key: string,
      limit: number,
      wanted: number,
      window: number,
      cost: number,
    ): Result<[number, string, string], Context>;
  }
}

export interface RateLimiterOptions {
  readonly redis: RedisClient;
  /** Only for the local limiter, while Redis is unavailable. */
  readonly nowMs: () => number;
  readonly onFallback?: (error: unknown) => void;
}

type Waiter = (verdict: Verdict) => void;

/** Requests for the same bucket in one iteration of the event loop share one Redis command, and get what is available in their order. */
export function createRateLimiter({ redis, nowMs, onFallback = () => {} }: RateLimiterOptions): SharedLimiter {
  redis.defineCommand('takeFromBucket', { numberOfKeys: 1, lua: script });
  const count = (bucket: string, { limit, window, cost }: Rate, wanted: number) =>
    redis.takeFromBucket(`rate:${bucket}`, limit, wanted, window, cost);
  const breaker = new Breaker(() => count('look', rateOf(60_000), 1));
  const local = new LocalBuckets();
  const waiting = new Map<string, { readonly name: string; readonly rate: Rate; readonly waiters: Waiter[] }>();

  const flush = async (group: string): Promise<void> => {
    const pending = waiting.get(group);
    waiting.delete(group);
    if (!pending) return;
    const { name: bucket, rate, waiters } = pending;
    const { limit, window, cost } = rate;
    try {
      const [taken, now, emptyAt] = await breaker.run(() => count(bucket, rate, waiters.length));
      const interval = (window / limit) * cost;
      for (const [index, settle] of waiters.entries()) {
        const allowed = index < taken;
        settle(verdict(allowed, Number(now), Number(emptyAt) + Math.min(index + 1, taken) * interval, rate));
      }
    } catch (error) {
      for (const settle of waiters) {
        onFallback(error);
        settle({ ...local.take(bucket, limit, nowMs() * 1_000, rate), isLocal: true });
      }
    }
  };

  return {
    take: (bucket, limit, terms) =>
      new Promise((settle) => {
        const rate = rateOf(limit, terms);
        const name = `${bucket}:${limit}`;
        // Requests with different costs use separate commands.
        const group = rate.cost === 1 ? name : `${name} ${rate.cost}`;
        const pending = waiting.get(group);
        if (pending) {
          pending.waiters.push(settle);
          return;
        }
        waiting.set(group, { name, rate, waiters: [settle] });
        setImmediate(() => void flush(group));
      }),
    async takeMany(bucket, limit, wanted) {
      const rate = rateOf(limit);
      const [taken, now, emptyAt] = await breaker.run(() => count(`${bucket}:${limit}`, rate, wanted));
      return { taken, now: Number(now), emptyAt: Number(emptyAt) };
    },
    look: () => breaker.look(),
  };
}

/** A bucket that is empty only after more than a whole window was counted by a clock that went back since. It starts over. */
export const emptyFrom = (emptyAt: number, now: number, window: number): number =>
  emptyAt > now + window + 1_000_000 ? now : Math.max(emptyAt, now);

/** The same rule within this process: while Redis is unavailable each process grants the full limit and no more. */
export class LocalBuckets {
  readonly #emptyAt = new Map<string, number>();
  readonly #capacity: number;

  constructor(capacity = 100_000) {
    this.#capacity = capacity;
  }

  take(bucket: string, limit: number, now: number, rate: Rate = rateOf(limit)): Verdict {
    const interval = (rate.window / limit) * rate.cost;
    const emptyAt = emptyFrom(this.#emptyAt.get(bucket) ?? now, now, rate.window);
    const allowed = emptyAt + interval - now <= rate.window;
    if (allowed) {
      // Re-inserted, so that the first key of the map is the least recently used.
      this.#emptyAt.delete(bucket);
      this.#emptyAt.set(bucket, emptyAt + interval);
      if (this.#emptyAt.size > this.#capacity) this.#emptyAt.delete(this.#emptyAt.keys().next().value as string);
    }
    return verdict(allowed, now, allowed ? emptyAt + interval : emptyAt, rate);
  }
}

/** For a per-minute limit. */
export const verdictOf = (allowed: boolean, now: number, emptyAt: number, limit: number, cost: number): Verdict =>
  verdict(allowed, now, emptyAt, rateOf(limit, { cost }));

function verdict(allowed: boolean, now: number, emptyAt: number, { limit, window, cost }: Rate): Verdict {
  const interval = window / limit;
  return {
    allowed,
    limit,
    remaining: Math.max(0, Math.floor((window - (emptyAt - now)) / interval)),
    resetAtSeconds: Math.ceil(emptyAt / 1_000_000),
    // Rounded up, so that a client that waits this long is not too early.
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((emptyAt + interval * cost - now - window) / 1_000_000)),
  };
}
