import { LastUseRecorder } from '@tributary/domain/tenancy/credentials';
import type { Caller } from '@tributary/operations';
import type { Postgres, Tx, UnboundLedger } from '@tributary/postgres';
import { isUuidInAnyCase, limits, nilUuid, roles, type ScopeGrain } from '@tributary/vocabulary';
import type { RawBuilder } from 'kysely';
import type { SessionCookie } from './auth.ts';
import { hashToken } from './hashed-sessions.ts';
import { findAllMemberships } from './memberships.ts';
import { type FoundSession, findPlace, findSession, recordSessionUse } from './store.ts';

export interface SessionCredentials {
  readonly cookie: string | undefined;
  readonly profileId: string | undefined;
  readonly workspaceId: string | undefined;
  readonly grain?: ScopeGrain;
}

export interface SessionRules {
  readonly cookie: SessionCookie;
  /** A session unused for this long expires. */
  readonly idleMinutes: number;
  readonly noteUse: (sessionId: string, now: Date) => void;
}

/** Records when sessions were last used, asynchronously. */
export const sessionUse = (ledger: UnboundLedger, onError: (error: unknown) => void) =>
  new LastUseRecorder(ledger, recordSessionUse, onError);

/**
 * Resolves a session cookie to a caller. Queries the ledger on every request, so that signing out and losing a role take effect with the next
 * one. A caller without a role is signed in, but named no profile or workspace of theirs.
 */
export function sessionAuthenticator(postgres: Postgres, { cookie, idleMinutes, noteUse }: SessionRules) {
  return async (request: SessionCredentials, now: Date): Promise<Caller | undefined> => {
    const token = readToken(request.cookie, cookie.name);
    if (!token) return undefined;
    const session = { hash: hashToken(token), idleMinutes };
    const createLookup = async (tenant: SessionCredentials): Promise<Lookup> => {
      const tenantId = tenant.workspaceId ?? tenant.profileId;
      const tenantServer = tenantId === undefined ? postgres.home : await postgres.shardOf(tenantId);
      return (at, tx) => find(postgres.home, tenantServer, session, tenant, at, tx);
    };
    const lookUp = await createLookup(request);
    const found = await lookUp(now);
    if (!found) return undefined;
    noteUse(found.session_id, now);
    const hasTenant = request.grain !== 'workspace' || request.workspaceId || request.profileId;
    const only = hasTenant ? undefined : await findOnlyWorkspace(postgres, found.user_id);
    if (!only) return callerOf(found, lookUp);
    const lookUpDefault = await createLookup({ ...request, workspaceId: only });
    const again = await lookUpDefault(now);
    return again && callerOf(again, lookUpDefault);
  };
}

/** Looks up the session and the role, with or without a transaction on the tenant's server. */
type Lookup = (at: Date, tx?: Tx) => Promise<FoundSession | undefined>;

/** The default workspace of a user with exactly one. Users with several have to name it. */
async function findOnlyWorkspace({ allShards }: Postgres, userId: string): Promise<string | undefined> {
  const [only, ...others] = await findAllMemberships(allShards, userId);
  return others.length > 0 ? undefined : only?.workspaceId;
}

/** Sessions are stored on the home server. For a tenant on another server, the role is read from that server. */
async function find(
  home: Postgres,
  tenantServer: Postgres,
  { hash, idleMinutes }: { readonly hash: string; readonly idleMinutes: number },
  tenant: SessionCredentials,
  at: Date,
  tx: Tx | undefined,
): Promise<FoundSession | undefined> {
  const [workspaceId, profileId] = [idOrNil(tenant.workspaceId), idOrNil(tenant.profileId)];
  if (tenantServer === home) return first(home, findSession(hash, workspaceId, profileId, at, idleMinutes), tx);
  const session = await first(home, findSession(hash, null, null, at, idleMinutes), undefined);
  if (!session) return undefined;
  const role = await first(tenantServer, findPlace(session.user_id, workspaceId, profileId), tx);
  return { ...session, ...role };
}

const first = async <Row>(
  { unbound }: { readonly unbound: UnboundLedger },
  statement: RawBuilder<Row>,
  tx: Tx | undefined,
): Promise<Row | undefined> => (await (tx ? statement.execute(tx) : unbound.query(statement))).rows[0];

/** Members are not partner apps: on a healthcare profile, only their role determines access to personal data. */
function callerOf(found: FoundSession, lookUp: Lookup): Caller {
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
      const again = await lookUp(now, tx);
      return again && callerOf(again, lookUp);
    },
  };
}

/**
 * Reads the token from the cookie, which also contains better-auth's signature. The signature is not checked here, because the token has 190
 * random bits and is looked up by its hash.
 */
export function readToken(header: string | undefined, name: string): string | undefined {
  const value = header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`))
    ?.slice(name.length + 1);
  return value?.split('.', 1)[0] || undefined;
}

/** Maps an invalid id to the nil UUID, because null would count as not sent. */
const idOrNil = (id: string | undefined): string | null =>
  id === undefined ? null : isUuidInAnyCase(id) ? id : nilUuid;
