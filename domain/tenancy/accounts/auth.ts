import { AsyncLocalStorage } from 'node:async_hooks';
import type { mcp } from '@better-auth/mcp';
import type { passkey } from '@better-auth/passkey';
import { links, McpScope } from '@tributary/contract';
import { mintSecret } from '@tributary/domain/tenancy/credentials';
import type { Postgres } from '@tributary/postgres';
import { dayMs, limits } from '@tributary/vocabulary';
import type { BetterAuthOptions, BetterAuthPlugin } from 'better-auth';
import { CamelCasePlugin } from 'kysely';
import { v7 as uuid } from 'uuid';
import { hashingSessions, hashToken } from './hashed-sessions.ts';
import type { Passwords } from './passwords.ts';

export interface AuthOptions {
  readonly baseUrl: string;
  readonly postgres: Postgres;
  readonly passwords: Passwords;
  readonly secrets: () => readonly AuthSecret[];
  readonly cookie: SessionCookie;
  readonly sessionSeconds: number;
}

/** Signs cookies and consent requests. The first secret signs, all of them verify. */
export interface AuthSecret {
  readonly version: number;
  readonly value: string;
}

export interface SessionCookie {
  readonly name: string;
  readonly isSecure: boolean;
}

/** Browsers accept the `__Host-` prefix only over HTTPS and for this exact host, so a sibling host cannot plant a cookie. */
export const sessionCookie = (isSecure: boolean): SessionCookie => ({
  name: isSecure ? '__Host-session' : 'session',
  isSecure,
});

/** The profile selected on the consent page, for the duration of that request. */
export const chosenProfile = new AsyncLocalStorage<string>();

export type Auth = Awaited<ReturnType<typeof startAuth>>;

/**
 * Starts better-auth, which stores sessions and issues assistants' tokens. Starting writes to the database, so it happens on first use and is
 * retried after a failure: the server must start while its database is unavailable. Loading takes a second and 100 MB, which processes without
 * sign-in avoid.
 */
export function lazyAuth(options: AuthOptions): () => Promise<Auth> {
  let started: Promise<Auth> | undefined;
  return () => {
    started ??= startAuth(options).catch((error: unknown) => {
      started = undefined;
      throw error;
    });
    return started;
  };
}

async function startAuth({ baseUrl, postgres, passwords, secrets, cookie, sessionSeconds }: AuthOptions) {
  const [{ betterAuth }, { twoFactor }, { passkey }, { kyselyAdapter }, { mcp: plugin }] = await Promise.all([
    import('better-auth'),
    import('better-auth/plugins/two-factor'),
    import('@better-auth/passkey'),
    import('@better-auth/kysely-adapter'),
    import('@better-auth/mcp'),
  ]);
  // Maps camelCase fields of better-auth to snake_case columns. Leaves JSON inside columns unchanged.
  const database = postgres.database.withPlugin(new CamelCasePlugin({ maintainNestedObjectKeys: true }));
  const adapter = kyselyAdapter(database, { type: 'postgres', usePlural: true, transaction: true });
  const auth = betterAuth({
    appName: 'Tributary',
    baseURL: baseUrl,
    basePath: '/',
    secrets: [...secrets()],
    database: (betterAuthOptions: BetterAuthOptions) => hashingSessions(adapter(betterAuthOptions)),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      password: {
        // Also called for an unknown address, so that the response time does not reveal whether it exists.
        hash: (password) => passwords.hash(password),
        verify: ({ hash, password }) => passwords.verify(hash, password),
      },
    },
    // freshAge 0: changes to sign-in methods always require the password.
    session: { expiresIn: sessionSeconds, disableSessionRefresh: true, freshAge: 0 },
    advanced: {
      database: { generateId: () => uuid(), validateSchema: false },
      useSecureCookies: false,
      cookies: { session_token: { name: cookie.name, attributes: { secure: cookie.isSecure } } },
      // Sign-in addresses are not stored.
      ipAddress: { disableIpTracking: true },
    },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    onAPIError: { throw: true, errorURL: links.assistantConsent(baseUrl) },
    plugins: [
      twoFactor() as unknown as BetterAuthPlugin,
      passkeys(passkey, baseUrl),
      ...(canServeAssistants(baseUrl) ? [assistants(plugin, baseUrl, sessionSeconds)] : []),
    ],
  });
  await auth.$context;
  return auth;
}

/** A refusal by better-auth. */
export interface AuthRefusal extends Error {
  readonly statusCode: number;
  readonly body?: object;
  readonly headers?: Headers | Record<string, string>;
}

export const isAuthRefusal = (error: unknown): error is AuthRefusal =>
  error instanceof Error && error.name === 'APIError' && (error as AuthRefusal).statusCode < 500;

/** OAuth passes codes and tokens through the browser, so it requires HTTPS, except on localhost. */
export function canServeAssistants(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

export const consentPath = '/oauth2/consent';

/** The cookie of the plugin that contains the challenge. */
export const passkeyChallengeCookie = 'passkey';

/** A passkey replaces the password, so user verification on the device (biometrics or PIN) is required. */
function passkeys(create: typeof passkey, baseUrl: string): BetterAuthPlugin {
  const assertVerified = (isVerified: boolean | undefined) => {
    if (!isVerified) throw new Error('The device did not ask who holds it.');
  };
  const plugin = create({
    rpName: 'Tributary',
    origin: new URL(baseUrl).origin,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    registration: {
      afterVerification: async ({ verification }) => assertVerified(verification.registrationInfo?.userVerified),
    },
    authentication: {
      afterVerification: async ({ verification }) => assertVerified(verification.authenticationInfo.userVerified),
    },
    advanced: { webAuthnChallengeCookie: passkeyChallengeCookie },
    // The column name that the camelCase plugin reads back.
    schema: { passkey: { fields: { credentialID: 'credentialId' } } },
  });
  return plugin as unknown as BetterAuthPlugin;
}

function assistants(create: typeof mcp, baseUrl: string, sessionSeconds: number): BetterAuthPlugin {
  const plugin = create({
    resource: links.assistants(baseUrl),
    loginPage: consentPath,
    consentPage: consentPath,
    // Registered clients can request only these two scopes, whatever their registration contains.
    scopes: [...McpScope.options],
    allowDynamicClientRegistration: true,
    allowUnauthenticatedClientRegistration: true,
    // Many clients register refresh_token, so refusing it would refuse them. No refresh token is issued: that requires a scope that does not exist.
    grantTypes: ['authorization_code', 'refresh_token'],
    // Opaque tokens, looked up on each use: a JWT would stay valid until it expires, even after revocation.
    disableJwtPlugin: true,
    // Expires with the session and after a week at most. There is no refresh token.
    accessTokenExpiresIn: Math.min(sessionSeconds, (limits.assistants.tokenDays * dayMs) / 1_000),
    generateOpaqueAccessToken: () => mintSecret('mcpToken'),
    storeTokens: { hash: async (token) => hashToken(token) },
    // The column name that the camelCase plugin reads back.
    schema: { oauthClient: { fields: { requirePKCE: 'requirePkce' } } },
    // Every authorization shows the consent page, where the profile is selected, even after an earlier consent.
    postLogin: {
      page: consentPath,
      shouldRedirect: () => chosenProfile.getStore() === undefined,
      consentReferenceId: () => chosenProfile.getStore(),
    },
  });
  // Its types do not satisfy exactOptionalPropertyTypes.
  return plugin as unknown as BetterAuthPlugin;
}
