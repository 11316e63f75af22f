import type { Result } from 'ioredis';
import { hidden } from './address-group.ts';
import type { RedisClient } from './client.ts';

/** Guesses that cost nothing, by one place at one secret. */
const free = 5;
/** The wait after the first guess beyond them; it doubles with each further one. */
const firstWaitMs = 30_000;
const mostWaitMs = 3_600_000;
/** A place that has not guessed for so long begins anew. */
const memoryMs = 86_400_000;
/** All places together that were never right: so many guesses at once, and then one at each interval. */
const strangersAtOnce = 20;
const strangersIntervalMs = 180_000;
/** A place that was right once is no stranger for so long. */
const knownMs = 30 * 86_400_000;

/**
 * Counts guesses at a secret, and makes them slow: each place (an address) waits longer and longer by itself, and all places that were never
 * right share one slow allowance. Whoever guesses from elsewhere therefore cannot keep out somebody who comes from where they came before.
 */
export interface Guesses {
  /** Counts one guess, before it is known whether it is right. How long to wait in milliseconds; 0: go on. */
  take(subject: string, place: string): Promise<number>;
  /** It was right. */
  right(subject: string, place: string): Promise<void>;
}

/** Counted before the answer is known, so that guesses sent at once do not slip by together. */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local closed_until = tonumber(redis.call('HGET', KEYS[1], 'until') or 0)
if now < closed_until then return closed_until - now end
if redis.call('EXISTS', KEYS[2]) == 0 then
  local interval = tonumber(ARGV[6])
  local empty_at = math.max(tonumber(redis.call('GET', KEYS[3]) or now), now)
  local late = empty_at + interval - now - ARGV[5] * interval
  if late > 0 then return late end
  redis.call('SET', KEYS[3], string.format('%.0f', empty_at + interval), 'PX', math.ceil(empty_at + interval - now))
end
local guesses = redis.call('HINCRBY', KEYS[1], 'guesses', 1)
if guesses >= tonumber(ARGV[1]) then
  local wait = math.min(tonumber(ARGV[3]), ARGV[2] * 2 ^ math.min(guesses - ARGV[1], 20))
  redis.call('HSET', KEYS[1], 'until', string.format('%.0f', now + wait))
end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 0
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeGuess(by: string, known: string, strangers: string, ...numbers: number[]): Result<number, Context>;
  }
}

export function createGuesses(redis: RedisClient): Guesses {
  redis.defineCommand('takeGuess', { numberOfKeys: 3, lua: script });
  const keys = (subject: string, place: string) => {
    const [what, where] = [hidden(subject), hidden(place)];
    return { by: `guess:${what}:${where}`, known: `known:${what}:${where}`, strangers: `strangers:${what}` };
  };
  return {
    take(subject, place) {
      const { by, known, strangers } = keys(subject, place);
      const numbers = [free, firstWaitMs, mostWaitMs, memoryMs, strangersAtOnce, strangersIntervalMs];
      return redis.takeGuess(by, known, strangers, ...numbers);
    },
    async right(subject, place) {
      const { by, known } = keys(subject, place);
      await Promise.all([redis.del(by), redis.set(known, '1', 'PX', knownMs)]);
    },
  };
}
