export {
  type AddressGroup,
  addressGroup,
  hashValue,
  leasedOfAddress,
  takeForAddress,
  widerFactor,
} from './address-group.ts';
export { createRedis, type RedisClient, redisReady } from './client.ts';
export { createGuesses, type Guesses } from './guesses.ts';
export { Leases } from './leases.ts';
export { createRateLimiter, LocalBuckets, type RateLimiter, type SharedLimiter, type Verdict } from './rate-limit.ts';
export { scanTexts } from './read-texts.ts';
