export {
  type AddressGroup,
  addressGroup,
  hidden,
  leasedOfAddress,
  takeOfAddress,
  widerTimes,
} from './address-group.ts';
export { createRedis, type RedisClient, redisReady } from './client.ts';
export { createGuesses, type Guesses } from './guesses.ts';
export { Leases } from './leases.ts';
export { createRateLimiter, LocalBuckets, type RateLimiter, type SharedLimiter, type Verdict } from './rate-limit.ts';
export { readTexts } from './read-texts.ts';
