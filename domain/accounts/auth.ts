import { AsyncLocalStorage } from 'node:async_hooks';
import type { mcp } from '@better-auth/mcp';
import type { passkey } from '@better-auth/passkey';
import { links, McpScope } from '@tributary/contract';
import { mintSecret } from '@tributary/domain/credentials';
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

/** Signs cookies and the way through the consent page. The first one signs; all of them open what they sealed. */
export interface AuthSecret {
  readonly version: number;
  readonly value: string;
}

export interface SessionCookie {
  readonly name: string;
  readonly isSecure: boolean;
}

/** A name with `__Host-` is kept by browsers only from HTTPS, for this very host: no neighbouring host can plant one. */
export const sessionCookie = (isSecure: boolean): SessionCookie => ({
  name: isSecure ? '__Host-session' : 'session',
  isSecure,
});

/** The profile that the person on the consent page has just chosen, for the length of that one answer. */
export const chosenProfile = new AsyncLocalStorage<string>();

export type Auth = Awaited<ReturnType<typeof startAuth>>;

/**
 * better-auth keeps sessions and hands out assistants' tokens. It starts by writing to the database, so it is started at its first
 * use, and once more if that failed: a server must come up while its database is still away. Loading it takes a second and 100 MB,
 * which processes that sign nobody in are spared.
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
  // Our columns are snake_case; its own words are camelCase. JSON inside a column is left as it is.
  const database = postgres.database.withPlugin(new CamelCasePlugin({ maintainNestedObjectKeys: true }));
  const adapter = kyselyAdapter(database, { type: 'postgres', usePlural: true, transaction: true });
  const auth = betterAuth({
    appName: 'Tributary',
    baseURL: baseUrl,
    basePath: '/',
    secrets: [...secrets()],
    database: (known: BetterAuthOptions) => hashingSessions(adapter(known)),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      password: {
        // Also called for an address that nobody has, so that the time taken tells nothing.
        hash: (password) => passwords.hash(password),
        verify: ({ hash, password }) => passwords.verify(hash, password),
      },
    },
    // Whoever changes how they sign in shows the password again, however fresh the session is.
    session: { expiresIn: sessionSeconds, disableSessionRefresh: true, freshAge: 0 },
    advanced: {
      database: { generateId: () => uuid(), validateSchema: false },
      useSecureCookies: false,
      cookies: { session_token: { name: cookie.name, attributes: { secure: cookie.isSecure } } },
      // Nothing of ours needs to know where somebody signed in from.
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

/** How better-auth says no. */
export interface AuthRefusal extends Error {
  readonly statusCode: number;
  readonly body?: object;
  readonly headers?: Headers | Record<string, string>;
}

export const isAuthRefusal = (error: unknown): error is AuthRefusal =>
  error instanceof Error && error.name === 'APIError' && (error as AuthRefusal).statusCode < 500;

/** OAuth hands codes and tokens through the browser, so it wants HTTPS, except on one's own machine. */
export function canServeAssistants(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

export const consentPath = '/oauth2/consent';

/** In which the plugin carries a challenge. */
export const passkeyChallengeCookie = 'passkey';

/** A passkey signs in alone, so the device must have asked who holds it: finger, face or PIN. */
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
    // The camelCase plugin writes this name so when it reads it back.
    schema: { passkey: { fields: { credentialID: 'credentialId' } } },
  });
  return plugin as unknown as BetterAuthPlugin;
}

function assistants(create: typeof mcp, baseUrl: string, sessionSeconds: number): BetterAuthPlugin {
  const plugin = create({
    resource: links.assistants(baseUrl),
    loginPage: consentPath,
    consentPage: consentPath,
    // A client that registers itself may ask for these two and for nothing else, whatever it writes into its registration.
    scopes: [...McpScope.options],
    allowDynamicClientRegistration: true,
    allowUnauthenticatedClientRegistration: true,
    // Clients register for refreshing by habit and are refused otherwise. None is ever issued: that takes a scope we do not have.
    grantTypes: ['authorization_code', 'refresh_token'],
    // Opaque tokens, looked up at each use: a JWT would be believed until it ran out, whatever was revoked meanwhile.
    disableJwtPlugin: true,
    // Expires with the session and after a week at most. There is no refresh token.
    accessTokenExpiresIn: Math.min(sessionSeconds, (limits.assistants.tokenDays * dayMs) / 1_000),
    generateOpaqueAccessToken: () => mintSecret('mcpToken'),
    storeTokens: { hash: async (token) => hashToken(token) },
    // The camelCase plugin writes this name so when it reads it back.
    schema: { oauthClient: { fields: { requirePKCE: 'requirePkce' } } },
    // Every authorization passes the consent page, where the profile is chosen; an earlier consent gives nothing by itself.
    postLogin: {
      page: consentPath,
      shouldRedirect: () => chosenProfile.getStore() === undefined,
      consentReferenceId: () => chosenProfile.getStore(),
    },
  });
  // Its types leave "absent" and "undefined" apart less strictly than ours do.
  return plugin as unknown as BetterAuthPlugin;
}
