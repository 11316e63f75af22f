import { ClientSecretPost } from 'oauth4webapi';
import { z } from 'zod';
import { readOAuthCallback, requestToken } from '../oauth-token.ts';
import type { Call, Connect } from '../provider.ts';
import { lifeSeconds } from '../read-answer.ts';
import { baseOf } from '../request-json.ts';
import type { MercadoPagoApi, MercadoPagoSettings } from './api.ts';

export const MercadoPagoCredentials = z.object({
  accessToken: z.string(),
  /** Null without `offline_access`: when the token expires, only a new consent helps. */
  refreshToken: z.string().nullable(),
  /** Halfway through the token's life of 180 days, because an expired token cannot be renewed. */
  renewAt: z.string(),
  userId: z.string(),
  granted: z.array(z.string()),
});
export type MercadoPagoCredentials = z.infer<typeof MercadoPagoCredentials>;

const Tokens = z.object({
  access_token: z.string(),
  refresh_token: z.string().optional(),
  expires_in: lifeSeconds,
  user_id: z.union([z.number(), z.string()]).transform(String),
  scope: z.string().default(''),
});

const User = z.object({ nickname: z.string().nullish(), site_id: z.string().nullish() });

export function createConnect(settings: MercadoPagoSettings, api: MercadoPagoApi): Connect<MercadoPagoCredentials> {
  const endpoint = {
    url: `${baseOf(settings.apiUrl)}/oauth/token`,
    clientId: settings.clientId,
    auth: ClientSecretPost(settings.clientSecret),
  };
  const tokens = async (
    grantType: 'authorization_code' | 'refresh_token',
    parameters: Record<string, string>,
    call: Call,
  ): Promise<MercadoPagoCredentials> => {
    const response = await requestToken(endpoint, grantType, parameters, Tokens, call);
    return {
      accessToken: response.access_token,
      refreshToken: response.refresh_token ?? null,
      renewAt: new Date(call.now.getTime() + (response.expires_in * 1000) / 2).toISOString(),
      userId: response.user_id,
      granted: response.scope.split(' ').filter((word) => word !== ''),
    };
  };

  return {
    usesPkce: true,

    authorizeUrl({ redirectUri, state, codeChallenge }) {
      const url = new URL(`${baseOf(settings.dialogUrl)}/authorization`);
      const client = { client_id: settings.clientId, response_type: 'code', platform_id: 'mp' };
      const proof = codeChallenge && { code_challenge: codeChallenge, code_challenge_method: 'S256' };
      url.search = new URLSearchParams({ ...client, state, redirect_uri: redirectUri, ...proof }).toString();
      return url.href;
    },

    readCallback: readOAuthCallback,

    exchange: ({ code, redirectUri, codeVerifier }, call) =>
      tokens(
        'authorization_code',
        { code, redirect_uri: redirectUri, ...(codeVerifier && { code_verifier: codeVerifier }) },
        call,
      ),

    async candidates({ accessToken, userId, granted }, call) {
      const user = await api.get('/users/me', {}, User, accessToken, call);
      const details = user.site_id ? { siteId: user.site_id } : {};
      return [{ externalId: userId, name: user.nickname ?? userId, granted, details }];
    },

    refreshAt: ({ refreshToken, renewAt }) => (refreshToken === null ? undefined : new Date(renewAt)),

    refresh: ({ refreshToken }, call) => tokens('refresh_token', { refresh_token: refreshToken ?? '' }, call),
  };
}
