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

/** A profile with one of everything, and the credentials that open it more or less. */
export interface World {
  /** What each token stands for here. */
  readonly tokens: ReadonlyMap<string, string>;
  readonly credentials: Readonly<Record<CredentialName, Readonly<Record<string, string>>>>;
}

export type CredentialName = ProbeCredential | 'limited' | 'expired' | 'unknown' | 'none';

/** Those that open a route which takes these kinds, and those that do not. */
export function credentialsFor(kinds: readonly CredentialKind[]): { good: CredentialName[]; bad: CredentialName[] } {
  const names = Object.keys(credentialBuilders) as ProbeCredential[];
  const isGood = (name: ProbeCredential) => kinds.includes(probeCredentials[name].kind);
  return {
    good: names.filter(isGood),
    bad: [...names.filter((name) => !isGood(name)), 'limited', 'expired', 'unknown', 'none'],
  };
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** Stands for an id of its kind. It is a UUID itself, so that a request with it in place can be checked as it is. */
export const idToken = (kind: IdKind): string => `f0220000-0000-7000-8000-${digest(kind)}`;

/** Stand for what a person knows: who owns the session signs in with these, and who was invited joins with those. */
export const known = {
  member: { email: 'member@f0220000.example', password: testPassword },
  guest: { email: 'guest@f0220000.example', token: 'f0220000_invitation' },
} as const;

/** Stands for the tracking key that the profile's pages send. */
export const trackingKeyToken = 'trk_f022000000000000000000';

const tokens =
  /f0220000-0000-7000-8000-[0-9a-f]{12}|@secret@|(member|guest)@f0220000\.example|f0220000_invitation|trk_f022000000000000000000/g;

export const settle = (text: string, world: World): string =>
  text.replace(tokens, (token) => world.tokens.get(token) ?? token);

interface Unsettled {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: CredentialName;
  readonly body: Buffer | undefined;
}

/** The request with the world's own ids and secrets in it. */
export function settled<R extends Unsettled>(request: R, world: World): R {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, settle(value, world)]);
  return {
    ...request,
    url: settle(request.url, world),
    headers: { ...world.credentials[request.credential], ...Object.fromEntries(headers) },
    // Latin-1 keeps every byte as it is, also those that are no text.
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
      [known.member.email, memberEmail],
      [known.guest.email, guest.email],
      [known.guest.token, guest.token],
      ...Object.entries(ids).map(([kind, id]) => [idToken(kind as IdKind), id] as const),
    ]),
    credentials: credentials as World['credentials'],
  };
}

/** The member whose session it is let an assistant in; resolves to their address. */
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
