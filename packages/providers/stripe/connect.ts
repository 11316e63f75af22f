import { z } from 'zod';
import { readOAuthCallback, requestToken } from '../oauth-token.ts';
import type { Call, Connect } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { baseOf } from '../request-json.ts';
import { appAuthorization, type StripeApi, type StripeSettings } from './api.ts';

export const StripeCredentials = z.object({
  accessToken: z.string(),
  /** Replaced at each use; valid for a year. */
  refreshToken: z.string(),
  expiresAt: z.string(),
  accountId: z.string(),
  isLive: z.boolean(),
  granted: z.array(z.string()),
});
export type StripeCredentials = z.infer<typeof StripeCredentials>;

const Tokens = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  stripe_user_id: z.string(),
  livemode: z.boolean().default(true),
  scope: z.string().default('stripe_apps'),
});

const StripeAccount = z.object({
  country: z.string().nullish(),
  default_currency: z.string().nullish(),
  business_profile: z.object({ name: z.string().nullish() }).nullish(),
  settings: z.object({ dashboard: z.object({ display_name: z.string().nullish() }).nullish() }).nullish(),
});

/** Stripe does not return the expiry: by its documentation a token lasts an hour. */
const lifeMs = 3_600_000;
const marginMs = 5 * 60_000;

export function createConnect(settings: StripeSettings, api: StripeApi): Connect<StripeCredentials> {
  const endpoint = {
    url: `${baseOf(settings.apiUrl)}/v1/oauth/token`,
    clientId: settings.clientId,
    auth: (_server: unknown, _client: unknown, _body: URLSearchParams, headers: Headers) =>
      headers.set('authorization', appAuthorization(settings.clientSecret)),
  };
  const tokens = async (
    grantType: 'authorization_code' | 'refresh_token',
    parameters: Record<string, string>,
    call: Call,
  ): Promise<StripeCredentials> => {
    const response = await requestToken(endpoint, grantType, parameters, Tokens, call);
    return {
      accessToken: response.access_token,
      refreshToken: response.refresh_token,
      expiresAt: new Date(call.now.getTime() + lifeMs).toISOString(),
      accountId: response.stripe_user_id,
      isLive: response.livemode,
      granted: response.scope.split(' '),
    };
  };

  return {
    usesPkce: false,

    authorizeUrl({ redirectUri, state }) {
      const url = new URL(`${baseOf(settings.dialogUrl)}/oauth/v2/authorize`);
      url.search = new URLSearchParams({ client_id: settings.clientId, redirect_uri: redirectUri, state }).toString();
      return url.href;
    },

    readCallback: readOAuthCallback,

    exchange: ({ code, redirectUri }, call) => tokens('authorization_code', { code, redirect_uri: redirectUri }, call),

    async candidates({ accessToken, accountId, isLive, granted }, call) {
      const account = await readAccount(accessToken, call);
      const name = account?.business_profile?.name || account?.settings?.dashboard?.display_name || accountId;
      const details = {
        isLive: String(isLive),
        ...(account?.country && { country: account.country }),
        ...(account?.default_currency && { currency: account.default_currency.toUpperCase() }),
      };
      return [{ externalId: accountId, name, granted, details }];
    },

    refreshAt: ({ expiresAt }) => new Date(Date.parse(expiresAt) - marginMs),

    refresh: ({ refreshToken }, call) => tokens('refresh_token', { refresh_token: refreshToken }, call),

    revoke: ({ externalId }, call) =>
      api.postAsApp(
        '/v1/oauth/deauthorize',
        [
          ['client_id', settings.clientId],
          ['stripe_user_id', externalId],
        ],
        call,
      ),
  };

  /** An app that may not read the account still reads its payments; the account is then named by its id. */
  async function readAccount(token: string, call: Call): Promise<z.infer<typeof StripeAccount> | undefined> {
    try {
      return await api.get('/v1/account', [], StripeAccount, token, call);
    } catch (error) {
      if (error instanceof ProviderFault && error.details.verdict === 'needs_action') return undefined;
      throw error;
    }
  }
}
