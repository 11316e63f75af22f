import type { Route } from '@tributary/contract';
import { addressGroup, type Guesses, type RateLimiter, takeForAddress, type Verdict } from '@tributary/redis';
import { hourMs, limits, type RateBucket } from '@tributary/vocabulary';
import type { Caller } from './handler.ts';
import { Refusal, refuse } from './refusal.ts';

/** Rate limits. */

/** Requests per minute for credentials without their own limit; each bucket has its own. */
const perMinute = limits.ratePerMinute;

export async function takeAllowance(
  limiter: RateLimiter,
  route: Route,
  caller: Caller | undefined,
  address: string,
): Promise<Verdict> {
  const bucket = route.rate ?? 'standard';
  if (caller === undefined || bucket === 'token' || bucket === 'public' || bucket === 'provider')
    return takeFromAddress(limiter, bucket, address);
  const isIngestBucket = bucket === 'ingest' && !caller.isRateSet;
  const verdict = await limiter.take(
    `${isIngestBucket ? 'ingest' : 'standard'}:${caller.credentialId}`,
    isIngestBucket ? perMinute.ingest : caller.requestsPerMinute,
  );
  if (!verdict.allowed) throw tooMany(verdict);
  return verdict;
}

/** For anonymous callers, and for attempts to authenticate. */
export async function takeFromAddress(limiter: RateLimiter, bucket: RateBucket, address: string): Promise<Verdict> {
  const limit = bucket === 'standard' ? perMinute.refused : perMinute[bucket];
  const verdict = await takeForAddress(limiter, bucket, addressGroup(address), limit);
  if (!verdict.allowed) throw tooMany(verdict);
  if (bucket === 'token' && verdict.isLocal) refuseWithoutCount();
  return verdict;
}

/** Self-registration of assistants writes rows without an owner, so it is limited to a few per hour and address. */
export async function takeRegistration(limiter: RateLimiter, address: string): Promise<void> {
  const { registrationsPerHour } = limits.assistants;
  const group = addressGroup(address);
  const verdict = await takeForAddress(limiter, 'registration', group, registrationsPerHour, { windowMs: hourMs });
  if (!verdict.allowed) throw tooMany(verdict);
  if (verdict.isLocal) refuseWithoutCount();
}

/**
 * Admits one attempt at a secret. Wrong attempts increase the delay, and none are admitted while the shared count in Redis is
 * down.
 */
export async function takeAttempt(guesses: Guesses, subject: string, addressHash: string): Promise<void> {
  const waitMs = await guesses.take(subject, addressHash).catch(refuseWithoutCount);
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1_000);
  refuse('rate_limit_exceeded', `Too many wrong attempts. Wait ${seconds} seconds and try again.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

/** Guessing against many processes at once must not become faster because the shared count is down. */
function refuseWithoutCount(): never {
  refuse('service_unavailable', 'Signing in is closed for a moment. Send it again shortly.', {
    headers: { 'retry-after': '5' },
  });
}

/** Unknown credentials and unknown paths count by address, which limits guessing. */
export const countRefusal = (limiter: RateLimiter, address: string): Promise<Verdict> =>
  takeForAddress(limiter, 'refused', addressGroup(address), perMinute.refused);

/** The refusal of an address that was already refused a moment ago, without querying Redis. */
export const tooManyGuesses = (seconds: number): Refusal =>
  tooMany({
    allowed: false,
    limit: perMinute.refused,
    remaining: 0,
    resetAtSeconds: Math.ceil(Date.now() / 1_000) + seconds,
    retryAfterSeconds: seconds,
  });

export const rateHeaders = ({ limit, remaining, resetAtSeconds }: Verdict): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(resetAtSeconds),
});

/** Both headers name the time when the next request is accepted, not when the whole allowance is available again. */
export function tooMany(verdict: Verdict): Refusal {
  const seconds = verdict.retryAfterSeconds;
  return new Refusal(
    'rate_limit_exceeded',
    `Too many requests. Wait ${seconds} second${seconds === 1 ? '' : 's'} and send it again.`,
    {
      headers: {
        ...rateHeaders({ ...verdict, resetAtSeconds: Math.ceil(Date.now() / 1_000) + seconds }),
        'retry-after': String(seconds),
      },
    },
  );
}
