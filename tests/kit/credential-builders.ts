import { type CredentialKind, McpScope, Scope } from '@tributary/contract';
import { hashSecret, mintSecret } from '@tributary/domain/tenancy/credentials/module.ts';
import { unboundAppScopes } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import type { BuilderKit, MarkedProfile } from './id-builders.ts';
import { buildApiKey, buildSharedLink } from './keys.ts';
import { buildAssistant, buildMember } from './people.ts';

const longAgo = new Date('2026-01-01T00:00:00Z');
const farAhead = new Date('9000-01-01T00:00:00Z');

/**
 * The kinds of credentials that authenticate a caller, and so could be abused to reach another tenant's data. A test reports kinds that are not
 * issued yet; once one is issued, the compiler requires its builder below.
 */
export const probeCredentials = {
  api_key: { kind: 'api_key', isIssued: true },
  app: { kind: 'app', isIssued: true },
  unbound_app: { kind: 'app', isIssued: true },
  client_secret: { kind: 'client_secret', isIssued: true },
  session: { kind: 'session', isIssued: true },
  mcp: { kind: 'mcp', isIssued: true },
  shared_link: { kind: 'shared_link', isIssued: true },
} as const satisfies Record<string, { kind: CredentialKind; isIssued: boolean }>;

type ProbeCredentials = typeof probeCredentials;
export type ProbeCredential = {
  [Name in keyof ProbeCredentials]: ProbeCredentials[Name]['isIssued'] extends true ? Name : never;
}[keyof ProbeCredentials];

/** Creates a credential of the profile with every permission its kind can have, and resolves to the headers that present it. */
type CredentialBuilder = (kit: BuilderKit, profile: MarkedProfile) => Promise<Record<string, string>>;

export const credentialBuilders: { readonly [Name in ProbeCredential]: CredentialBuilder } = {
  api_key: async (kit, { id }) =>
    bearer((await buildApiKey(kit.app, id, { scopes: Scope.options, requestsPerMinute: 600_000 })).secret),
  app: async (kit, profile) => bearer(await buildAppToken(kit, profile.appId, profile.id, Scope.options)),
  unbound_app: async (kit, { appId }) => bearer(await buildAppToken(kit, appId, null, unboundAppScopes)),
  client_secret: async (_kit, { appId, clientSecret }) => ({
    authorization: `Basic ${Buffer.from(`${appId}:${clientSecret}`).toString('base64')}`,
  }),
  session: async (kit, profile) => (await buildOwner(kit, profile)).headers({ profileId: profile.id }),
  mcp: async (kit, profile) => {
    const owner = await buildOwner(kit, profile);
    return (await buildAssistant(kit.app, owner, profile.id, McpScope.options)).headers;
  },
  shared_link: async (kit, { id }) => bearer((await buildSharedLink(kit.app, id)).secret),
};

const buildOwner = (kit: BuilderKit, { workspaceId, mark }: MarkedProfile) =>
  buildMember(kit.app, workspaceId, 'owner', `${mark}.test`);

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** Requests a client-credentials token, for a profile or for the app alone. */
async function buildAppToken(
  kit: BuilderKit,
  appId: string,
  profileId: string | null,
  scopes: readonly Scope[],
): Promise<string> {
  const secret = mintSecret('appToken');
  await kit.app.unbound.transaction((tx) =>
    tx
      .selectNoFrom(({ fn, val }) =>
        fn('issue_app_token', [
          val(hashSecret(secret)),
          val(uuid()),
          val(appId),
          val(profileId),
          val([...scopes]),
          val(longAgo),
          val(farAhead),
        ]).as('issued'),
      )
      .execute(),
  );
  return secret;
}
