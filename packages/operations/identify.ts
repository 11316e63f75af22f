import type { Route } from '@tributary/contract';
import type { RateLimiter } from '@tributary/redis';
import type { ScopeGrain } from '@tributary/vocabulary';
import { countRefusal, tooMany, tooManyGuesses } from './allowance.ts';
import type { AttemptLimiter } from './attempt-limiter.ts';
import type { Caller } from './handler.ts';
import { refuse } from './refusal.ts';

/** The credentials of a call; domain/tenancy/credentials and domain/tenancy/accounts authenticate them. */
export interface Presented {
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  /** The profile or workspace that a console session acts for, as named by the request. */
  readonly profileId: string | undefined;
  readonly workspaceId: string | undefined;
  /** The grain of the route. On a route about a workspace, a member of only one workspace need not name it. */
  readonly grain?: ScopeGrain;
}

export type Authenticate = (presented: Presented, now: Date) => Promise<Caller | undefined>;

/** The dependencies of `identify`. */
interface IdentifyDeps {
  readonly authenticate: Authenticate;
  readonly limiter: RateLimiter;
  readonly door: AttemptLimiter;
}

/** Authenticates the caller; undefined if the route needs no credential. Failed attempts are counted by `address`. */
export async function identify(
  { authenticate, limiter, door }: IdentifyDeps,
  { access: { credentials, grain } }: Route,
  presented: Presented,
  address: string,
  now: Date,
): Promise<Caller | undefined> {
  const isPublic = credentials.includes('public');
  // The client id and secret may be in the body, so the token route authenticates itself.
  if (credentials.includes('client_secret') || (isPublic && credentials.length === 1)) return undefined;
  const credential = presented.authorization ?? presented.cookie;
  if (credential) {
    const seconds = door.secondsUntilAllowed(address, credential);
    if (seconds !== undefined) throw tooManyGuesses(seconds);
    const caller = await authenticate({ ...presented, grain }, now);
    if (caller) {
      door.exempt(credential);
      return caller;
    }
  }
  // If the credential is optional, an invalid one counts as none.
  if (isPublic && !credential) return undefined;
  const verdict = await countRefusal(limiter, address);
  if (!verdict.allowed) {
    door.block(address, verdict.retryAfterSeconds);
    throw tooMany(verdict);
  }
  if (isPublic) return undefined;
  return refuse(
    'unauthorized',
    'No valid credential came with the request. Send a live key as "Authorization: Bearer <key>".',
    { headers: { 'www-authenticate': 'Bearer' } },
  );
}
