import { randomBytes } from 'node:crypto';
import type { McpScope, Role } from '@tributary/contract';
import { hashToken } from '@tributary/domain/tenancy/accounts/module.ts';
import { mintSecret } from '@tributary/domain/tenancy/credentials/module.ts';
import type { Postgres, Tx } from '@tributary/postgres';
import { v7 as uuid } from 'uuid';

export interface BuiltMember {
  readonly userId: string;
  readonly sessionId: string;
  readonly email: string;
  /** The headers that the console's pages send, plus the profile or workspace that the member acts in. */
  headers(place?: { profileId?: string; workspaceId?: string }): Record<string, string>;
}

const longAgo = new Date('2026-01-01T00:00:00Z');
const farAhead = new Date('9000-01-01T00:00:00Z');

/** The password of all built members. The hash is stored here because computing it occupies a core for a while. */
export const testPassword = 'vague otter lamp';
const passwordHash =
  '$argon2id$v=19$m=19456,t=2,p=1$yvIfhLBsWy+AeABbzhB+oA$X36SvurhJGma/vTJcZXHLVznQO5Ey2xyQSspSZZY5P0';

/** Inserts a signed-in member of the workspace. */
export async function buildMember(
  postgres: Postgres,
  workspaceId: string,
  role: Role = 'owner',
  mark = 'person.test',
  /** When the session was last used. Idle sessions expire, so tests on a real clock set it to now. */
  seenAt?: Date,
): Promise<BuiltMember> {
  const [userId, sessionId] = [uuid(), uuid()];
  const token = randomBytes(24).toString('base64url').replaceAll(/[-_]/g, 'x');
  const email = `${userId}@${mark}`;
  const times = { created_at: longAgo, updated_at: longAgo };
  const addUser = (tx: Tx) =>
    tx
      .insertInto('users')
      .values({ id: userId, name: `Person ${mark}`, email, ...times })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  await postgres.home.unbound.transaction(async (tx) => {
    await addUser(tx);
    const account = { id: uuid(), user_id: userId, account_id: userId, provider_id: 'credential' };
    await tx
      .insertInto('accounts')
      .values({ ...account, password: passwordHash, ...times })
      .execute();
    await tx
      .insertInto('sessions')
      .values({
        id: sessionId,
        user_id: userId,
        token: hashToken(token),
        expires_at: farAhead,
        seen_at: seenAt ?? null,
        ...times,
      })
      .execute();
  });
  await postgres.forWorkspace(workspaceId).transaction(async (tx) => {
    await addUser(tx);
    await tx
      .insertInto('members')
      .values({ workspace_id: workspaceId, user_id: userId, role, created_at: longAgo })
      .execute();
  });
  return {
    userId,
    sessionId,
    email,
    headers: ({ profileId, workspaceId: place } = {}) => ({
      cookie: `__Host-session=${token}.signature`,
      'sec-fetch-site': 'same-origin',
      ...(profileId && { 'x-profile-id': profileId }),
      ...(place && { 'x-workspace-id': place }),
    }),
  };
}

/** Inserts an assistant that the member authorized for the profile. */
export async function buildAssistant(
  postgres: Postgres,
  { userId, sessionId }: Pick<BuiltMember, 'userId' | 'sessionId'>,
  profileId: string,
  scopes: readonly McpScope[] = ['mcp:read'],
): Promise<{ clientId: string; headers: { authorization: string } }> {
  const clientId = uuid();
  const token = mintSecret('mcpToken');
  const granted = { client_id: clientId, user_id: userId, reference_id: profileId, scopes: JSON.stringify(scopes) };
  await postgres.unbound.transaction(async (tx) => {
    await tx
      .insertInto('oauth_clients')
      .values({ id: uuid(), client_id: clientId, name: 'Test assistant', redirect_uris: JSON.stringify([]) })
      .execute();
    await tx
      .insertInto('oauth_consents')
      .values({ id: uuid(), ...granted, created_at: longAgo, updated_at: longAgo })
      .execute();
    await tx
      .insertInto('oauth_access_tokens')
      .values({
        id: uuid(),
        ...granted,
        token: hashToken(token),
        session_id: sessionId,
        created_at: longAgo,
        expires_at: farAhead,
      })
      .execute();
  });
  return { clientId, headers: { authorization: `Bearer ${token}` } };
}
