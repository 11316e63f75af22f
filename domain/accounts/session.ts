import { UseNotes } from '@tributary/domain/credentials';
import type { Caller } from '@tributary/operations';
import type { Postgres, Tx, UnboundLedger } from '@tributary/postgres';
import { isUuidInAnyCase, limits, nilUuid, roles, type ScopeGrain } from '@tributary/vocabulary';
import type { RawBuilder } from 'kysely';
import type { SessionCookie } from './auth.ts';
import { hashToken } from './hashed-sessions.ts';
import { findAllMemberships } from './memberships.ts';
import { type FoundSession, findPlace, findSession, noteSessionUse } from './store.ts';

export interface ShownSession {
  readonly cookie: string | undefined;
  readonly profileId: string | undefined;
  readonly workspaceId: string | undefined;
  readonly grain?: ScopeGrain;
}

export interface SessionRules {
  readonly cookie: SessionCookie;
  /** A session that nobody used for so long is over. */
  readonly idleMinutes: number;
  readonly noteUse: (sessionId: string, now: Date) => void;
}

/** Notes when sessions were last used, beside the requests. */
export const sessionUse = (ledger: UnboundLedger, onError: (error: unknown) => void) =>
  new UseNotes(ledger, noteSessionUse, onError);

/**
 * Makes a caller of a session cookie. The ledger is asked on every request, so signing out and losing a role count from the next one
 * on. A caller with no role is somebody signed in who named no place of theirs.
 */
export function sessionAuthenticator(postgres: Postgres, { cookie, idleMinutes, noteUse }: SessionRules) {
  return async (shown: ShownSession, now: Date): Promise<Caller | undefined> => {
    const token = readToken(shown.cookie, cookie.name);
    if (!token) return undefined;
    const session = { hash: hashToken(token), idleMinutes };
    const asker = async (place: ShownSession): Promise<Ask> => {
      const tenantId = place.workspaceId ?? place.profileId;
      const there = tenantId === undefined ? postgres.home : await postgres.shardOf(tenantId);
      return (at, tx) => find(postgres.home, there, session, place, at, tx);
    };
    const ask = await asker(shown);
    const found = await ask(now);
    if (!found) return undefined;
    noteUse(found.session_id, now);
    const isElsewhere = shown.grain !== 'workspace' || shown.workspaceId || shown.profileId;
    const only = isElsewhere ? undefined : await findOnlyWorkspace(postgres, found.user_id);
    if (!only) return callerOf(found, ask);
    const placed = await asker({ ...shown, workspaceId: only });
    const again = await placed(now);
    return again && callerOf(again, placed);
  };
}

/** Looks the session up with its place, through a transaction on the place's server or by itself. */
type Ask = (at: Date, tx?: Tx) => Promise<FoundSession | undefined>;

/** Somebody with one workspace and no profile yet has no place to name; who has several says which. */
async function findOnlyWorkspace({ everywhere }: Postgres, userId: string): Promise<string | undefined> {
  const [only, ...others] = await findAllMemberships(everywhere, userId);
  return others.length > 0 ? undefined : only?.workspaceId;
}

/** Sessions are kept at home. Of a place on another server, the session is asked there and the person's role in the place itself. */
async function find(
  home: Postgres,
  there: Postgres,
  { hash, idleMinutes }: { readonly hash: string; readonly idleMinutes: number },
  place: ShownSession,
  at: Date,
  tx: Tx | undefined,
): Promise<FoundSession | undefined> {
  const [workspaceId, profileId] = [idOrNobody(place.workspaceId), idOrNobody(place.profileId)];
  if (there === home) return first(home, findSession(hash, workspaceId, profileId, at, idleMinutes), tx);
  const session = await first(home, findSession(hash, null, null, at, idleMinutes), undefined);
  if (!session) return undefined;
  const placed = await first(there, findPlace(session.user_id, workspaceId, profileId), tx);
  return { ...session, ...placed };
}

const first = async <Row>(
  { unbound }: { readonly unbound: UnboundLedger },
  statement: RawBuilder<Row>,
  tx: Tx | undefined,
): Promise<Row | undefined> => (await (tx ? statement.execute(tx) : unbound.query(statement))).rows[0];

/** Members are no partner apps: on a healthcare profile their role alone says whether they see people. */
function callerOf(found: FoundSession, ask: Ask): Caller {
  const { role, workspace_id: workspaceId, profile_id: profileId } = found;
  return {
    kind: 'session',
    credentialId: found.session_id,
    userId: found.user_id,
    ...(role && workspaceId && { role, workspaceId }),
    ...(profileId && { profileId }),
    scopes: new Set(role ? roles[role].scopes : []),
    isEntitled: found.is_attribution_enabled ?? false,
    isHealthcare: found.is_healthcare ?? true,
    requestsPerMinute: limits.ratePerMinute.member,
    recheck: async (tx, now) => {
      const again = await ask(now, tx);
      return again && callerOf(again, ask);
    },
  };
}

/**
 * The cookie is the token and better-auth's signature of it. 190 random bits, looked up by their hash, need no signature; it is
 * better-auth that checks it, on its own pages.
 */
export function readToken(header: string | undefined, name: string): string | undefined {
  const value = header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`))
    ?.slice(name.length + 1);
  return value?.split('.', 1)[0] || undefined;
}

/** What is not even an id must not count as naming nothing. */
const idOrNobody = (id: string | undefined): string | null =>
  id === undefined ? null : isUuidInAnyCase(id) ? id : nilUuid;
