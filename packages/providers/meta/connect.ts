import { z } from 'zod';
import type { Candidate, Connect } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { lifeSeconds, readAs } from '../read-answer.ts';
import type { MetaCredentials } from './credentials.ts';
import type { Graph } from './graph.ts';
import { fromMetaUnits, minDailyBudget } from './money.ts';
import type { MetaSettings } from './settings.ts';

const scopes = ['ads_read', 'ads_management', 'business_management', 'pages_show_list', 'pages_read_engagement'];

const Token = z.object({ access_token: z.string() });
const Inspected = z.object({
  data: z.object({
    is_valid: z.boolean(),
    expires_at: lifeSeconds.default(0),
    scopes: z.array(z.string()).default([]),
  }),
});
const AdAccount = z.object({
  id: z.string(),
  name: z.string().optional(),
  currency: z.string(),
  timezone_name: z.string(),
  min_daily_budget: minDailyBudget.optional(),
  business: z.object({ id: z.string(), name: z.string().optional() }).optional(),
});

export function createConnect(settings: MetaSettings, graph: Graph): Connect<MetaCredentials> {
  const app = { client_id: settings.clientId, client_secret: settings.clientSecret };
  return {
    usesPkce: false,

    authorizeUrl({ redirectUri, state }) {
      const url = new URL(`${settings.dialogUrl.replace(/\/$/, '')}/${settings.apiVersion}/dialog/oauth`);
      // Requested again; otherwise permissions that were declined before would not be shown.
      const params = { response_type: 'code', auth_type: 'rerequest', scope: scopes.join(',') };
      url.search = new URLSearchParams({
        client_id: settings.clientId,
        redirect_uri: redirectUri,
        state,
        ...params,
      }).toString();
      return url.href;
    },

    readCallback({ code, error, error_reason: reason }) {
      if (code) return { code };
      if (error === 'access_denied') {
        return { reason: reason === undefined || reason === 'user_denied' ? 'user_cancelled' : 'provider_denied' };
      }
      const denials = ['invalid_scope', 'unauthorized_client', 'redirect_uri_mismatch'];
      return { reason: error !== undefined && denials.includes(error) ? 'provider_denied' : 'provider_error' };
    },

    async exchange({ code, redirectUri }, call) {
      const path = 'oauth/access_token';
      const short = await graph.getAsApp(path, { ...app, redirect_uri: redirectUri, code }, call);
      const shortToken = readAs(Token, short.body, path).access_token;
      const renewal = { ...app, grant_type: 'fb_exchange_token', fb_exchange_token: shortToken };
      const long = await graph.getAsApp(path, renewal, call);
      const accessToken = readAs(Token, long.body, path).access_token;
      const debug = { input_token: accessToken, access_token: `${settings.clientId}|${settings.clientSecret}` };
      const { data } = readAs(Inspected, (await graph.getAsApp('debug_token', debug, call)).body, 'debug_token');
      if (!data.is_valid) {
        throw new ProviderFault({ verdict: 'reconnect', code: '190', says: 'Meta calls its new token invalid.' });
      }
      const expiresAt = data.expires_at === 0 ? null : new Date(data.expires_at * 1000).toISOString();
      return { accessToken, expiresAt, granted: data.scopes };
    },

    async candidates({ accessToken, granted }, call) {
      const fields =
        'id,account_id,name,account_status,currency,timezone_name,business{id,name},user_tasks,min_daily_budget';
      const accounts = await graph.all(AdAccount, 'me/adaccounts', { fields }, accessToken, call);
      return accounts.map(
        ({ id, name, currency, timezone_name, min_daily_budget: least, business }): Candidate<MetaCredentials> => ({
          externalId: id,
          name: name ?? id,
          granted,
          details: {
            currency,
            timeZone: timezone_name,
            ...(least !== undefined && { leastDailyBudget: fromMetaUnits(least, currency) }),
            ...(business && { businessId: business.id, businessName: business.name ?? business.id }),
          },
        }),
      );
    },

    async revoke({ credentials }, call) {
      await graph.delete('me/permissions', credentials.accessToken, call);
    },
  };
}
