import { McpScope, type Role, scopesOfMcpToken } from '@tributary/contract';
import { isWellFormedSecret } from '@tributary/domain/credentials';
import type { Caller } from '@tributary/operations';
import type { Postgres, Tx } from '@tributary/postgres';
import { limits, roles } from '@tributary/vocabulary';
import { type FoundToken, findMcpToken } from './assistant-store.ts';
import { hashToken } from './hashed-sessions.ts';
import { findPlace } from './store.ts';

/**
 * Makes a caller of the token that a person let an assistant have. All that the token rests on (session, consent, membership) is
 * looked at on every request, so that taking any of it back counts from the next one on.
 */
export function mcpAuthenticator(postgres: Postgres) {
  return async (authorization: string | undefined, now: Date): Promise<Caller | undefined> => {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (!token || !isWellFormedSecret(token, 'mcpToken')) return undefined;
    const ask: Ask = (at, within) => find(postgres, hashToken(token), at, within);
    const found = await ask(now);
    return found && callerOf(found, ask);
  };
}

/** Looks the token up with its place, by itself or through a transaction on the server of the profile. */
type Ask = (at: Date, within?: Within) => Promise<PlacedToken | undefined>;
type Within = { readonly tx: Tx; readonly profileId: string };
type PlacedToken = FoundToken & { readonly workspace_id: string; readonly role: Role };

/** Tokens are kept at home; what the person is, with the profile. */
async function find(
  { home, shardOf }: Postgres,
  hash: string,
  at: Date,
  within: Within | undefined,
): Promise<PlacedToken | undefined> {
  const statement = findMcpToken(hash, at);
  const isHere = within && (await shardOf(within.profileId)) === home;
  const [token] = (await (isHere ? statement.execute(within.tx) : home.unbound.query(statement))).rows;
  if (!token) return undefined;
  const there = await shardOf(token.profile_id);
  if (there === home) return isPlaced(token) ? token : undefined;
  const place = findPlace(token.user_id, null, token.profile_id);
  const [placed] = (await (within ? place.execute(within.tx) : there.unbound.query(place))).rows;
  const whole = { ...token, ...placed, profile_id: token.profile_id };
  return isPlaced(whole) ? whole : undefined;
}

const isPlaced = (token: FoundToken): token is PlacedToken => token.role !== null && token.workspace_id !== null;

/** An assistant may do what it was allowed, and never more than its person. */
function callerOf(found: PlacedToken, ask: Ask): Caller {
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
      const again = await ask(now, { tx, profileId: found.profile_id });
      return again && callerOf(again, ask);
    },
  };
}
