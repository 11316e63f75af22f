import type { Route } from '@tributary/contract';
import { addressGroup, type Guesses, type RateLimiter, takeOfAddress, type Verdict } from '@tributary/redis';
import { hourMs, limits, type RateBucket } from '@tributary/vocabulary';
import type { Caller } from './handler.ts';
import { Refusal, refuse } from './refusal.ts';

/** How often somebody may call. */

/** Requests a minute where the credential does not say: each bucket has an allowance of its own. */
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
  const isOfIngest = bucket === 'ingest' && !caller.isRateSet;
  const verdict = await limiter.take(
    `${isOfIngest ? 'ingest' : 'standard'}:${caller.credentialId}`,
    isOfIngest ? perMinute.ingest : caller.requestsPerMinute,
  );
  if (!verdict.allowed) throw tooMany(verdict);
  return verdict;
}

/** For whoever is not known, or tries to become so. */
export async function takeFromAddress(limiter: RateLimiter, bucket: RateBucket, address: string): Promise<Verdict> {
  const limit = bucket === 'standard' ? perMinute.refused : perMinute[bucket];
  const verdict = await takeOfAddress(limiter, bucket, addressGroup(address), limit);
  if (!verdict.allowed) throw tooMany(verdict);
  if (bucket === 'token' && verdict.isLocal) refuseUncounted();
  return verdict;
}

/** An assistant that registers itself writes rows for nobody yet: a few an hour from one place. */
export async function takeRegistration(limiter: RateLimiter, address: string): Promise<void> {
  const { registrationsPerHour } = limits.assistants;
  const group = addressGroup(address);
  const verdict = await takeOfAddress(limiter, 'registration', group, registrationsPerHour, { windowMs: hourMs });
  if (!verdict.allowed) throw tooMany(verdict);
  if (verdict.isLocal) refuseUncounted();
}

/** One guess at a secret, slower with each wrong one, and none while nobody counts over all processes. */
export async function takeAttempt(guesses: Guesses, subject: string, place: string): Promise<void> {
  const waitMs = await guesses.take(subject, place).catch(refuseUncounted);
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1_000);
  refuse('rate_limit_exceeded', `Too many wrong attempts. Wait ${seconds} seconds and try again.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

/** Guessing a secret against many processes at once must not become faster because the shared count is gone. */
function refuseUncounted(): never {
  refuse('service_unavailable', 'Signing in is closed for a moment. Send it again shortly.', {
    headers: { 'retry-after': '5' },
  });
}

/** Unknown credentials and unknown paths are counted by address, so that guessing is as slow as asking. */
export const countRefusal = (limiter: RateLimiter, address: string): Promise<Verdict> =>
  takeOfAddress(limiter, 'refused', addressGroup(address), perMinute.refused);

/** Said without asking anybody, to an address that was told so a moment ago. */
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

/** Both headers name the same moment: when the next request is accepted, not when the whole allowance is there again. */
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
