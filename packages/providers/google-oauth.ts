import { ClientSecretPost } from 'oauth4webapi';
import { z } from 'zod';
import { baseOf } from './ask.ts';
import { readOAuthCallback, requestToken } from './oauth-token.ts';
import type { Call, Connect } from './provider.ts';
import { ProviderFault } from './provider-fault.ts';
import { lifeSeconds } from './read-answer.ts';

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

/** Tokens last an hour. One that is about to end is replaced before it is used. */
const marginMs = 5 * 60_000;

/** What Google's products have in common; only what can be chosen after the consent differs. */
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
  const endOf = (call: Call, seconds: number) => new Date(call.now.getTime() + seconds * 1000).toISOString();

  return {
    usesPkce: true,

    authorizeUrl({ redirectUri, state, codeChallenge }) {
      const url = new URL(`${baseOf(client.dialogUrl)}/o/oauth2/v2/auth`);
      url.search = new URLSearchParams({
        client_id: client.clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: scopes.join(' '),
        // Without both there is no refresh token for somebody who has agreed before.
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
      const said = await tokens('authorization_code', parameters, call);
      if (said.refresh_token === undefined) {
        throw new ProviderFault({
          verdict: 'refused',
          code: 'no_refresh_token',
          says: 'Google gave no refresh token.',
        });
      }
      return {
        accessToken: said.access_token,
        refreshToken: said.refresh_token,
        expiresAt: endOf(call, said.expires_in),
        // People may untick single permissions.
        granted: said.scope.split(' ').filter((word) => word !== ''),
      };
    },

    refreshAt: ({ expiresAt }) => new Date(Date.parse(expiresAt) - marginMs),

    async refresh(credentials, call) {
      const said = await tokens('refresh_token', { refresh_token: credentials.refreshToken }, call);
      return {
        ...credentials,
        accessToken: said.access_token,
        refreshToken: said.refresh_token ?? credentials.refreshToken,
        expiresAt: endOf(call, said.expires_in),
      };
    },

    async revoke({ credentials }, call) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const body = new URLSearchParams({ token: credentials.refreshToken }).toString();
      const { status } = await call.send({ method: 'POST', url: `${baseOf(client.tokenUrl)}/revoke`, headers, body });
      // 400: it is no token any more, which is what was wanted.
      if (status >= 500)
        throw new ProviderFault({ verdict: 'wait', code: `revoke_${status}`, says: 'Google did not revoke.' });
    },
  };
}
