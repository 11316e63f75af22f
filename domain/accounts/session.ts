import { UseNotes } from '@tributary/domain/credentials';
import type { Caller } from '@tributary/operations';
import type { UnboundLedger } from '@tributary/postgres';
import { isUuidInAnyCase, limits, nilUuid, roles, type ScopeGrain } from '@tributary/vocabulary';
import type { RawBuilder } from 'kysely';
import type { SessionCookie } from './auth.ts';
import { hashToken } from './hashed-sessions.ts';
import { findMemberships } from './memberships.ts';
import { type FoundSession, findSession, noteSessionUse } from './store.ts';

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
export function sessionAuthenticator(ledger: UnboundLedger, { cookie, idleMinutes, noteUse }: SessionRules) {
  return async (shown: ShownSession, now: Date): Promise<Caller | undefined> => {
    const token = readToken(shown.cookie, cookie.name);
    if (!token) return undefined;
    const hash = hashToken(token);
    const asker = (place: ShownSession) => (at: Date) => find(hash, place, at, idleMinutes);
    const { rows } = await ledger.query(asker(shown)(now));
    const [found] = rows;
    if (!found) return undefined;
    noteUse(found.session_id, now);
    const isElsewhere = shown.grain !== 'workspace' || shown.workspaceId || shown.profileId;
    const only = isElsewhere ? undefined : await findOnlyWorkspace(ledger, found.user_id);
    if (!only) return callerOf(found, asker(shown));
    const ask = asker({ ...shown, workspaceId: only });
    const placed = await ledger.query(ask(now));
    return placed.rows[0] && callerOf(placed.rows[0], ask);
  };
}

/** Somebody with one workspace and no profile yet has no place to name; who has several says which. */
async function findOnlyWorkspace(ledger: UnboundLedger, userId: string): Promise<string | undefined> {
  const [only, ...others] = await ledger.transaction((tx) => findMemberships(tx, userId));
  return others.length > 0 ? undefined : only?.workspaceId;
}

const find = (hash: string, { workspaceId, profileId }: ShownSession, at: Date, idleMinutes: number) =>
  findSession(hash, idOrNobody(workspaceId), idOrNobody(profileId), at, idleMinutes);

/** Members are no partner apps: on a healthcare profile their role alone says whether they see people. */
function callerOf(found: FoundSession, ask: (at: Date) => RawBuilder<FoundSession>): Caller {
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
      const { rows } = await ask(now).execute(tx);
      return rows[0] && callerOf(rows[0], ask);
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
