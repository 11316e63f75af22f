import { McpScope, type Role, scopesOfMcpToken } from '@tributary/contract';
import { isWellFormedSecret } from '@tributary/domain/tenancy/credentials';
import type { Caller } from '@tributary/operations';
import type { Postgres, Tx } from '@tributary/postgres';
import { limits, roles } from '@tributary/vocabulary';
import { type FoundToken, findMcpToken } from './assistant-store.ts';
import { hashToken } from './hashed-sessions.ts';
import { findPlace } from './store.ts';

/**
 * Resolves an assistant's token to a caller. Checks session, consent and membership on every request, so that revoking any of them takes effect
 * with the next request.
 */
export function mcpAuthenticator(postgres: Postgres) {
  return async (authorization: string | undefined, now: Date): Promise<Caller | undefined> => {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (!token || !isWellFormedSecret(token, 'mcpToken')) return undefined;
    const lookUp: Lookup = (at, within) => find(postgres, hashToken(token), at, within);
    const found = await lookUp(now);
    return found && callerOf(found, lookUp);
  };
}

/** Looks up the token and the member's role, with or without a transaction on the profile's server. */
type Lookup = (at: Date, within?: Within) => Promise<AuthorizedToken | undefined>;
type Within = { readonly tx: Tx; readonly profileId: string };
type AuthorizedToken = FoundToken & { readonly workspace_id: string; readonly role: Role };

/** Tokens are stored on the home server, the member's role on the profile's server. */
async function find(
  { home, shardOf }: Postgres,
  hash: string,
  at: Date,
  within: Within | undefined,
): Promise<AuthorizedToken | undefined> {
  const statement = findMcpToken(hash, at);
  const isHere = within && (await shardOf(within.profileId)) === home;
  const [token] = (await (isHere ? statement.execute(within.tx) : home.unbound.query(statement))).rows;
  if (!token) return undefined;
  const there = await shardOf(token.profile_id);
  if (there === home) return isAuthorized(token) ? token : undefined;
  const placeQuery = findPlace(token.user_id, null, token.profile_id);
  const [role] = (await (within ? placeQuery.execute(within.tx) : there.unbound.query(placeQuery))).rows;
  const merged = { ...token, ...role, profile_id: token.profile_id };
  return isAuthorized(merged) ? merged : undefined;
}

const isAuthorized = (token: FoundToken): token is AuthorizedToken =>
  token.role !== null && token.workspace_id !== null;

/** The scopes are those granted to the assistant, limited to the member's role. */
function callerOf(found: AuthorizedToken, lookUp: Lookup): Caller {
  const granted = scopesOfMcpToken(McpScope.options.filter((scope) => found.granted.includes(scope)));
  return {
    kind: 'mcp',
    credentialId: found.token_id,
    userId: found.user_id,
    workspaceId: found.workspace_id,
    profileId: found.profile_id,
    role: found.role,
    scopes: granted.intersection(new Set(roles[found.role].scopes)),
    isEntitled: found.is_attribution_enabled ?? false,
    isHealthcare: found.is_healthcare ?? true,
    requestsPerMinute: limits.ratePerMinute.member,
    recheck: async (tx, now) => {
      const again = await lookUp(now, { tx, profileId: found.profile_id });
      return again && callerOf(again, lookUp);
    },
  };
}
