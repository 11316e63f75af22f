import { createHash } from 'node:crypto';
import type { CredentialKind } from '@tributary/contract';
import { hashToken } from '@tributary/domain/tenancy/accounts/module.ts';
import { hashSecret, mintSecret } from '@tributary/domain/tenancy/credentials/module.ts';
import {
  type BuilderKit,
  buildApiKey,
  buildMarkedProfile,
  credentialBuilders,
  idBuilders,
  type MarkedProfile,
  type ProbeCredential,
  probeCredentials,
  testPassword,
} from '@tributary/testkit';
import type { IdKind } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';

const longAgo = new Date('2026-01-01T00:00:00Z');

/** A profile with one entity of every kind, and credentials with different permissions on it. */
export interface World {
  /** The value of each token in this world. */
  readonly tokens: ReadonlyMap<string, string>;
  readonly credentials: Readonly<Record<CredentialName, Readonly<Record<string, string>>>>;
}

export type CredentialName = ProbeCredential | 'limited' | 'expired' | 'unknown' | 'none';

/** Credentials that a route with these kinds accepts, and those that it rejects. */
export function credentialsFor(kinds: readonly CredentialKind[]): { good: CredentialName[]; bad: CredentialName[] } {
  const names = Object.keys(credentialBuilders) as ProbeCredential[];
  const isGood = (name: ProbeCredential) => kinds.includes(probeCredentials[name].kind);
  return {
    good: names.filter(isGood),
    bad: [...names.filter((name) => !isGood(name)), 'limited', 'expired', 'unknown', 'none'],
  };
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** A placeholder for an id of this kind. It is a UUID, so that a request that contains it passes validation. */
export const idToken = (kind: IdKind): string => `f0220000-0000-7000-8000-${digest(kind)}`;

/** Placeholders for values that a person knows: the login of the session's owner, and an invitation. */
export const placeholders = {
  member: { email: 'member@f0220000.example', password: testPassword },
  guest: { email: 'guest@f0220000.example', token: 'f0220000_invitation' },
} as const;

/** A placeholder for the profile's tracking key. */
export const trackingKeyToken = 'trk_f022000000000000000000';

const tokens =
  /f0220000-0000-7000-8000-[0-9a-f]{12}|@secret@|(member|guest)@f0220000\.example|f0220000_invitation|trk_f022000000000000000000/g;

export const settle = (text: string, world: World): string =>
  text.replace(tokens, (token) => world.tokens.get(token) ?? token);

interface RequestTemplate {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: CredentialName;
  readonly body: Buffer | undefined;
}

/** Replaces the placeholders in a request by the ids and secrets of the world. */
export function settled<R extends RequestTemplate>(request: R, world: World): R {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, settle(value, world)]);
  return {
    ...request,
    url: settle(request.url, world),
    headers: { ...world.credentials[request.credential], ...Object.fromEntries(headers) },
    // Latin-1 keeps every byte, including invalid UTF-8.
    body: request.body && Buffer.from(settle(request.body.toString('latin1'), world), 'latin1'),
  };
}

export async function buildWorld(kit: BuilderKit): Promise<World> {
  const profile = await buildMarkedProfile(kit);
  const key = async (traits: Parameters<typeof buildApiKey>[2]) => ({
    ...(await buildApiKey(kit.app, profile.id, traits)).headers,
  });
  const credentials = await allOf<Record<string, string>>({
    limited: key({ scopes: ['creatives:write'] }),
    expired: key({ expiresAt: new Date('2026-01-02T00:00:00Z') }),
    unknown: Promise.resolve({ authorization: `Bearer ${mintSecret('apiKey')}` }),
    none: Promise.resolve({}),
    ...mapped(credentialBuilders, (build) => build(kit, profile)),
  });
  const ids = await allOf(mapped(idBuilders, (build) => build(kit, profile)));
  const memberEmail = await furnishMember(kit, profile, credentials.session?.cookie ?? '', ids.assistant ?? '');
  const guest = await invite(kit, profile);
  const { key: trackingKey } = await kit.app
    .forProfile(profile.id)
    .transaction((tx) =>
      tx.selectFrom('tracking_keys').select('key').where('revoked_at', 'is', null).executeTakeFirstOrThrow(),
    );
  const secret = credentials.api_key?.authorization?.replace('Bearer ', '') ?? '';
  return {
    tokens: new Map([
      ['@secret@', secret],
      [trackingKeyToken, trackingKey],
      [placeholders.member.email, memberEmail],
      [placeholders.guest.email, guest.email],
      [placeholders.guest.token, guest.token],
      ...Object.entries(ids).map(([kind, id]) => [idToken(kind as IdKind), id] as const),
    ]),
    credentials: credentials as World['credentials'],
  };
}

/** Gives the consent for the assistant to the owner of the session; resolves to the owner's e-mail. */
async function furnishMember(
  { app }: BuilderKit,
  { workspaceId }: MarkedProfile,
  cookie: string,
  assistantId: string,
): Promise<string> {
  const [, token = ''] = /=(\w+)\./.exec(cookie) ?? [];
  return app.forWorkspace(workspaceId).transaction(async (tx) => {
    const { id, email } = await tx
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select(['users.id', 'users.email'])
      .where('sessions.token', '=', hashToken(token))
      .executeTakeFirstOrThrow();
    await tx.updateTable('oauth_consents').set({ user_id: id }).where('id', '=', assistantId).execute();
    return email;
  });
}

async function invite({ app }: BuilderKit, { workspaceId, mark }: MarkedProfile) {
  const [token, email] = [mintSecret('invitation'), `guest@${mark}.test`];
  const invitation = { workspace_id: workspaceId, id: uuid(), hash: hashSecret(token), role: 'viewer', email };
  await app.forWorkspace(workspaceId).transaction((tx) =>
    tx
      .insertInto('invitations')
      .values({ ...invitation, created_at: longAgo, expires_at: new Date('9000-01-01T00:00:00Z') })
      .execute(),
  );
  return { token, email };
}

const mapped = <T, U>(table: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(table).map(([name, value]) => [name, change(value)]));

const allOf = async <T>(table: Readonly<Record<string, Promise<T>>>): Promise<Record<string, T>> =>
  Object.fromEntries(
    await Promise.all(Object.entries(table).map(async ([name, value]) => [name, await value] as const)),
  );
