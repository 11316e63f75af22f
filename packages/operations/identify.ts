import type { Route } from '@tributary/contract';
import type { RateLimiter } from '@tributary/redis';
import type { ScopeGrain } from '@tributary/vocabulary';
import { countRefusal, tooMany, tooManyGuesses } from './allowance.ts';
import type { Door } from './door.ts';
import type { Caller } from './handler.ts';
import { refuse } from './refusal.ts';

/** What a call shows of who makes it; domain/credentials and domain/accounts make a caller of it, or not. */
export interface Presented {
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  /** A console session belongs to a person, who says for which profile they act, or in which workspace. */
  readonly profileId: string | undefined;
  readonly workspaceId: string | undefined;
  /** What the route is about. On one about a workspace, somebody who has one need not name it. */
  readonly grain?: ScopeGrain;
}

export type Authenticate = (presented: Presented, now: Date) => Promise<Caller | undefined>;

/** What somebody who comes is looked at with. */
interface Reception {
  readonly authenticate: Authenticate;
  readonly limiter: RateLimiter;
  readonly door: Door;
}

/** Who calls; undefined where the route needs nobody. `address` is counted when it cannot be told. */
export async function identify(
  { authenticate, limiter, door }: Reception,
  { access: { credentials, grain } }: Route,
  presented: Presented,
  address: string,
  now: Date,
): Promise<Caller | undefined> {
  const isPublic = credentials.includes('public');
  // A client id and secret may stand in the body, so the token route looks for itself.
  if (credentials.includes('client_secret') || (isPublic && credentials.length === 1)) return undefined;
  const shown = presented.authorization ?? presented.cookie;
  if (shown) {
    const seconds = door.closedFor(address, shown);
    if (seconds !== undefined) throw tooManyGuesses(seconds);
    const caller = await authenticate({ ...presented, grain }, now);
    if (caller) {
      door.wasGood(shown);
      return caller;
    }
  }
  // Where a credential may be left out, a dead one counts as none.
  if (isPublic && !shown) return undefined;
  const verdict = await countRefusal(limiter, address);
  if (!verdict.allowed) {
    door.close(address, verdict.retryAfterSeconds);
    throw tooMany(verdict);
  }
  if (isPublic) return undefined;
  return refuse(
    'unauthorized',
    'No valid credential came with the request. Send a live key as "Authorization: Bearer <key>".',
    { headers: { 'www-authenticate': 'Bearer' } },
  );
}
