import { ClientSecretPost } from 'oauth4webapi';
import { z } from 'zod';
import { readOAuthCallback, requestToken } from './oauth-token.ts';
import type { Call, Connect } from './provider.ts';
import { ProviderFault } from './provider-fault.ts';
import { lifeSeconds } from './read-answer.ts';
import { baseOf } from './request-json.ts';

export interface GoogleClient {
  readonly clientId: string;
  readonly clientSecret: string;
  /** https://accounts.google.com */
  readonly dialogUrl: string;
  /** https://oauth2.googleapis.com */
  readonly tokenUrl: string;
}

export const GoogleCredentials = z.object({
  accessToken: z.string(),
  /** Not replaced when it is used. */
  refreshToken: z.string(),
  expiresAt: z.string(),
  granted: z.array(z.string()),
});
export type GoogleCredentials = z.infer<typeof GoogleCredentials>;

const Tokens = z.object({
  access_token: z.string(),
  refresh_token: z.string().optional(),
  expires_in: lifeSeconds,
  scope: z.string().default(''),
});

/** Access tokens last an hour; one that is about to expire is refreshed before use. */
const marginMs = 5 * 60_000;

/** The OAuth flow shared by Google's products; they differ only in the accounts that can be chosen after consent. */
export function createGoogleOAuth(
  client: GoogleClient,
  scopes: readonly string[],
): Omit<Connect<GoogleCredentials>, 'candidates'> {
  const endpoint = {
    url: `${baseOf(client.tokenUrl)}/token`,
    clientId: client.clientId,
    auth: ClientSecretPost(client.clientSecret),
  };
  const tokens = (grantType: 'authorization_code' | 'refresh_token', parameters: Record<string, string>, call: Call) =>
    requestToken(endpoint, grantType, parameters, Tokens, call);
  const getExpiry = (call: Call, seconds: number) => new Date(call.now.getTime() + seconds * 1000).toISOString();

  return {
    usesPkce: true,

    authorizeUrl({ redirectUri, state, codeChallenge }) {
      const url = new URL(`${baseOf(client.dialogUrl)}/o/oauth2/v2/auth`);
      url.search = new URLSearchParams({
        client_id: client.clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: scopes.join(' '),
        // Without both parameters a user who consented before gets no refresh token.
        access_type: 'offline',
        prompt: 'consent',
        state,
        ...(codeChallenge !== undefined && { code_challenge: codeChallenge, code_challenge_method: 'S256' }),
      }).toString();
      return url.href;
    },

    readCallback: readOAuthCallback,

    async exchange({ code, redirectUri, codeVerifier }, call) {
      const verifier = codeVerifier === undefined ? {} : { code_verifier: codeVerifier };
      const parameters = { code, redirect_uri: redirectUri, ...verifier };
      const response = await tokens('authorization_code', parameters, call);
      if (response.refresh_token === undefined) {
        throw new ProviderFault({
          verdict: 'refused',
          code: 'no_refresh_token',
          says: 'Google gave no refresh token.',
        });
      }
      return {
        accessToken: response.access_token,
        refreshToken: response.refresh_token,
        expiresAt: getExpiry(call, response.expires_in),
        // Users may decline single permissions.
        granted: response.scope.split(' ').filter((scope) => scope !== ''),
      };
    },

    refreshAt: ({ expiresAt }) => new Date(Date.parse(expiresAt) - marginMs),

    async refresh(credentials, call) {
      const response = await tokens('refresh_token', { refresh_token: credentials.refreshToken }, call);
      return {
        ...credentials,
        accessToken: response.access_token,
        refreshToken: response.refresh_token ?? credentials.refreshToken,
        expiresAt: getExpiry(call, response.expires_in),
      };
    },

    async revoke({ credentials }, call) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const body = new URLSearchParams({ token: credentials.refreshToken }).toString();
      const { status } = await call.send({ method: 'POST', url: `${baseOf(client.tokenUrl)}/revoke`, headers, body });
      // 400: the token is already invalid, which is the goal.
      if (status >= 500)
        throw new ProviderFault({ verdict: 'wait', code: `revoke_${status}`, says: 'Google did not revoke.' });
    },
  };
}
