import type { Result } from 'ioredis';
import { Breaker } from './breaker.ts';
import type { RedisClient } from './client.ts';

/**
 * GCRA: one number per bucket, the time at which it would be empty again. A client may send `limit` requests at once and
 * then one every `60 / limit` seconds; no fixed window that could be straddled, no second counter.
 */
export interface Verdict {
  readonly allowed: boolean;
  /** Decided by this process alone, because Redis is away. */
  readonly isLocal?: true;
  readonly limit: number;
  readonly remaining: number;
  /** When the whole allowance is there again. */
  readonly resetAtSeconds: number;
  readonly retryAfterSeconds: number;
}

export interface RateLimiter {
  take(bucket: string, perMinute: number): Promise<Verdict>;
}

/** Counts in Redis, for all processes. */
export interface SharedLimiter extends RateLimiter {
  /** Rejects unless Redis counts: one that answers and may not be written to does not. */
  look(): Promise<void>;
}

/**
 * Redis's own clock decides, so that every process counts alike. Takes up to ARGV[2] at once and says how many there were. Times
 * are in microseconds.
 */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local interval = 60000000 / ARGV[1]
local full = interval * ARGV[1]
local empty_at = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local taken = math.min(tonumber(ARGV[2]), math.floor((full - (empty_at - now)) / interval + 0.000001))
if taken > 0 then
  local later = empty_at + taken * interval
  redis.call('SET', KEYS[1], string.format('%.0f', later), 'PX', math.ceil((later - now) / 1000) + 1000)
end
return {taken, string.format('%.0f', now), string.format('%.0f', empty_at)}
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeFromBucket(key: string, perMinute: number, wanted: number): Result<[number, string, string], Context>;
  }
}

export interface RateLimiterOptions {
  readonly redis: RedisClient;
  /** For the local limiter only, while Redis is away. */
  readonly nowMs: () => number;
  readonly onFallback?: (error: unknown) => void;
}

type Waiting = (verdict: Verdict) => void;

/** Requests of one turn of the event loop that draw on the same bucket ask Redis once, and share what there is in their order. */
export function createRateLimiter({ redis, nowMs, onFallback = () => {} }: RateLimiterOptions): SharedLimiter {
  redis.defineCommand('takeFromBucket', { numberOfKeys: 1, lua: script });
  const count = (bucket: string, perMinute: number, wanted: number) =>
    redis.takeFromBucket(`rate:${bucket}`, perMinute, wanted);
  const breaker = new Breaker(() => count('look', 60_000, 1));
  const local = new LocalBuckets();
  const waiting = new Map<string, { readonly perMinute: number; readonly waiters: Waiting[] }>();

  const ask = async (bucket: string): Promise<void> => {
    const asked = waiting.get(bucket);
    waiting.delete(bucket);
    if (!asked) return;
    const { perMinute, waiters } = asked;
    try {
      const [taken, now, emptyAt] = await breaker.run(() => count(bucket, perMinute, waiters.length));
      const interval = 60_000_000 / perMinute;
      for (const [index, settle] of waiters.entries()) {
        const allowed = index < taken;
        settle(verdict(allowed, Number(now), Number(emptyAt) + Math.min(index + 1, taken) * interval, perMinute));
      }
    } catch (error) {
      for (const settle of waiters) {
        onFallback(error);
        settle({ ...local.take(bucket, perMinute, nowMs() * 1_000), isLocal: true });
      }
    }
  };

  return {
    take: (bucket, perMinute) =>
      new Promise((settle) => {
        const name = `${bucket}:${perMinute}`;
        const asked = waiting.get(name);
        if (asked) {
          asked.waiters.push(settle);
          return;
        }
        waiting.set(name, { perMinute, waiters: [settle] });
        setImmediate(() => void ask(name));
      }),
    look: () => breaker.look(),
  };
}

/** The same rule in this process alone: while Redis is away each process grants the whole allowance, and none grants more. */
export class LocalBuckets {
  readonly #emptyAt = new Map<string, number>();
  readonly #capacity: number;

  constructor(capacity = 100_000) {
    this.#capacity = capacity;
  }

  take(bucket: string, perMinute: number, now: number): Verdict {
    const interval = 60_000_000 / perMinute;
    const emptyAt = Math.max(this.#emptyAt.get(bucket) ?? now, now);
    const allowed = emptyAt + interval - now <= interval * perMinute;
    if (allowed) {
      // Re-inserted, so that the first key of the map is always the one unused for longest.
      this.#emptyAt.delete(bucket);
      this.#emptyAt.set(bucket, emptyAt + interval);
      if (this.#emptyAt.size > this.#capacity) this.#emptyAt.delete(this.#emptyAt.keys().next().value as string);
    }
    return verdict(allowed, now, allowed ? emptyAt + interval : emptyAt, perMinute);
  }
}

function verdict(allowed: boolean, now: number, emptyAt: number, perMinute: number): Verdict {
  const interval = 60_000_000 / perMinute;
  const full = interval * perMinute;
  return {
    allowed,
    limit: perMinute,
    remaining: Math.max(0, Math.floor((full - (emptyAt - now)) / interval)),
    resetAtSeconds: Math.ceil(emptyAt / 1_000_000),
    // Rounded up: whoever waits this long is not early.
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((emptyAt + interval - now - full) / 1_000_000)),
  };
}
