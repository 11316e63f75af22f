import { McpScope, scopesOfMcpToken } from '@tributary/contract';
import { isWellFormedSecret } from '@tributary/domain/credentials';
import type { Caller } from '@tributary/operations';
import type { UnboundLedger } from '@tributary/postgres';
import { limits, roles } from '@tributary/vocabulary';
import type { RawBuilder } from 'kysely';
import { type FoundToken, findMcpToken } from './assistant-store.ts';
import { hashToken } from './hashed-sessions.ts';

/**
 * Makes a caller of the token that a person let an assistant have. All that the token rests on (session, consent, membership) is
 * looked at on every request, so that taking any of it back counts from the next one on.
 */
export function mcpAuthenticator(ledger: UnboundLedger) {
  return async (authorization: string | undefined, now: Date): Promise<Caller | undefined> => {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (!token || !isWellFormedSecret(token, 'mcpToken')) return undefined;
    const ask = (at: Date) => findMcpToken(hashToken(token), at);
    const { rows } = await ledger.query(ask(now));
    return rows[0] && callerOf(rows[0], ask);
  };
}

/** An assistant may do what it was allowed, and never more than its person. */
function callerOf(found: FoundToken, ask: (at: Date) => RawBuilder<FoundToken>): Caller {
  const granted = scopesOfMcpToken(McpScope.options.filter((scope) => found.granted.includes(scope)));
  return {
    kind: 'mcp',
    credentialId: found.token_id,
    userId: found.user_id,
    workspaceId: found.workspace_id,
    profileId: found.profile_id,
    role: found.role,
    scopes: granted.intersection(new Set(roles[found.role].scopes)),
    isEntitled: found.is_attribution_enabled,
    isHealthcare: found.is_healthcare ?? true,
    requestsPerMinute: limits.ratePerMinute.member,
    recheck: async (tx, now) => {
      const { rows } = await ask(now).execute(tx);
      return rows[0] && callerOf(rows[0], ask);
    },
  };
}
