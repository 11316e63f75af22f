import type { Result } from 'ioredis';
import { hashValue } from './address-group.ts';
import type { RedisClient } from './client.ts';

/** Free guesses per place and secret. */
const freeGuesses = 5;
/** The wait after the first guess beyond the free ones; it doubles with each further guess. */
const firstWaitMs = 30_000;
const maxWaitMs = 3_600_000;
/** A place without guesses for this time starts over. */
const memoryMs = 86_400_000;
/** All places that were never right share these guesses: this many at once, then one per interval. */
const strangersAtOnce = 20;
const strangersIntervalMs = 180_000;
/** How long a place counts as known after a right guess. */
const knownMs = 30 * 86_400_000;

/**
 * Slows down guesses at a secret. Each place (an address) waits longer after each guess, and all places that were never right share one
 * slow allowance. So guesses from elsewhere cannot lock out a user who comes from a known place.
 */
export interface Guesses {
  /** Counts a guess before it is checked. Resolves to the wait in milliseconds; 0 means that the guess may be checked. */
  take(subject: string, place: string): Promise<number>;
  /** Records that the guess was right. */
  right(subject: string, place: string): Promise<void>;
}

/** Counts before the guess is checked, so that concurrent guesses cannot bypass the limit. */
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
    const [subjectHash, placeHash] = [hashValue(subject), hashValue(place)];
    return {
      by: `guess:${subjectHash}:${placeHash}`,
      known: `known:${subjectHash}:${placeHash}`,
      strangers: `strangers:${subjectHash}`,
    };
  };
  return {
    take(subject, place) {
      const { by, known, strangers } = keys(subject, place);
      const numbers = [freeGuesses, firstWaitMs, maxWaitMs, memoryMs, strangersAtOnce, strangersIntervalMs];
      return redis.takeGuess(by, known, strangers, ...numbers);
    },
    async right(subject, place) {
      const { by, known } = keys(subject, place);
      await Promise.all([redis.del(by), redis.set(known, '1', 'PX', knownMs)]);
    },
  };
}
