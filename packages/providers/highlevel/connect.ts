import { ClientSecretPost } from 'oauth4webapi';
import { z } from 'zod';
import { readOAuthCallback, requestToken } from '../oauth-token.ts';
import type { Call, Candidate, Connect } from '../provider.ts';
import { lifeSeconds } from '../read-answer.ts';
import { baseOf } from '../request-json.ts';
import { appIdOf, type HighlevelApi, type HighlevelSettings } from './api.ts';
import type { HighlevelCredentials } from './credentials.ts';

const scopes = [
  'opportunities.readonly',
  'contacts.readonly',
  'locations.readonly',
  'oauth.readonly',
  'oauth.write',
] as const;

const Tokens = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_in: lifeSeconds,
  scope: z.string().default(''),
  userType: z.enum(['Location', 'Company']),
  companyId: z.string(),
  locationId: z.string().nullish(),
});

const Location = z.object({ location: z.object({ id: z.string(), name: z.string().optional() }) });
const Installed = z.object({
  locations: z.array(
    z.object({ _id: z.string(), name: z.string().optional(), isInstalled: z.boolean().default(true) }),
  ),
});

const locationsPerPage = 100;
/** An agency with more locations has to install the app in the location itself. */
const maxLocations = 2_000;
/** Tokens last a day; one that is about to expire is refreshed before use. */
const marginMs = 10 * 60_000;

export function createConnect(settings: HighlevelSettings, api: HighlevelApi): Connect<HighlevelCredentials> {
  const endpoint = {
    url: `${baseOf(settings.apiUrl)}/oauth/token`,
    clientId: settings.clientId,
    auth: ClientSecretPost(settings.clientSecret),
  };
  const tokens = async (
    grantType: 'authorization_code' | 'refresh_token',
    parameters: Record<string, string>,
    call: Call,
  ): Promise<HighlevelCredentials> => {
    const response = await requestToken(endpoint, grantType, parameters, Tokens, call);
    return {
      accessToken: response.access_token,
      refreshToken: response.refresh_token,
      expiresAt: new Date(call.now.getTime() + response.expires_in * 1000).toISOString(),
      granted: response.scope.split(' ').filter((word) => word !== ''),
      userType: response.userType,
      companyId: response.companyId,
      locationId: response.locationId ?? null,
    };
  };

  return {
    usesPkce: false,

    authorizeUrl({ redirectUri, state }) {
      const url = new URL(`${baseOf(settings.dialogUrl)}/v2/oauth/chooselocation`);
      const params = { response_type: 'code', loginWindowOpenMode: 'self', scope: scopes.join(' ') };
      const client = { client_id: settings.clientId, redirect_uri: redirectUri, state };
      url.search = new URLSearchParams({ ...client, ...params }).toString();
      return url.href;
    },

    readCallback: readOAuthCallback,

    exchange: ({ code, redirectUri }, call) => tokens('authorization_code', { code, redirect_uri: redirectUri }, call),

    async candidates(credentials, call) {
      const { accessToken, locationId, companyId, granted } = credentials;
      if (credentials.userType === 'Location' && locationId) {
        const { body } = await api.get(`/locations/${locationId}`, {}, Location, accessToken, call);
        return [{ externalId: locationId, name: body.location.name ?? locationId, granted, details: { companyId } }];
      }
      const found: Candidate<HighlevelCredentials>[] = [];
      while (found.length < maxLocations) {
        const page = { isInstalled: 'true', skip: String(found.length), limit: String(locationsPerPage) };
        const params = { companyId, appId: appIdOf(settings.clientId), ...page };
        const { body } = await api.get('/oauth/installedLocations', params, Installed, accessToken, call);
        for (const { _id, name } of body.locations.filter(({ isInstalled }) => isInstalled)) {
          found.push({ externalId: _id, name: name ?? _id, granted, details: { companyId } });
        }
        if (body.locations.length < locationsPerPage) break;
      }
      return found;
    },

    refreshAt: ({ expiresAt }) => new Date(Date.parse(expiresAt) - marginMs),

    async refresh(credentials, call) {
      const params = { refresh_token: credentials.refreshToken, user_type: credentials.userType };
      const fresh = await tokens('refresh_token', params, call);
      return { ...fresh, granted: fresh.granted.length > 0 ? fresh.granted : credentials.granted };
    },

    revoke: (account, call) => api.uninstall(account, call),
  };
}
