import { type CompanyDeps, sandboxClient } from '../company.ts';
import { consentRoutes } from '../consent-page.ts';
import { json, type Reply, type Route, type SandboxRequest } from '../route.ts';
import { metaError, paramsOf, withToken } from './envelope.ts';
import type { MetaState } from './state.ts';

const hourMs = 3_600_000;
const longLivedSeconds = 5_183_944;

export const metaScopes = [
  'ads_read',
  'ads_management',
  'business_management',
  'pages_show_list',
  'pages_read_engagement',
];

export function oauthRoutes(deps: CompanyDeps, state: () => MetaState): Route[] {
  const { consents } = deps;
  return [
    ...consentRoutes(
      {
        company: 'meta',
        name: 'Meta',
        path: '/meta/:version/dialog/oauth',
        scopesBy: ',',
        scopes: metaScopes,
        choose: 'several',
        accounts: () => state().accounts.map(({ id, name }) => ({ id, name })),
        endings: {
          cancel: {
            error: 'access_denied',
            error_reason: 'user_denied',
            error_code: '200',
            error_description: 'Permissions error',
          },
          deny: { error: 'unauthorized_client', error_description: 'App not active' },
          fail: { error: 'server_error', error_description: 'An unexpected error has occurred.' },
        },
      },
      consents,
    ),
    { method: 'GET', path: '/meta/:version/oauth/access_token', handle: exchange },
    { method: 'POST', path: '/meta/:version/oauth/access_token', handle: exchange },
    {
      method: 'GET',
      path: '/meta/:version/debug_token',
      handle(request) {
        const { input_token: token = '', access_token: app = '' } = paramsOf(request);
        if (app !== `${sandboxClient.id}|${sandboxClient.secret}`) return metaError({ code: 190 });
        const grant = consents.find(token, 'access', 'meta');
        if (typeof grant === 'string') return json(200, { data: { is_valid: false, scopes: [] } });
        const end = consents.endOf(token);
        return json(200, {
          data: {
            app_id: sandboxClient.id,
            type: 'USER',
            is_valid: true,
            expires_at: Number.isFinite(end) ? Math.floor(end / 1000) : 0,
            data_access_expires_at: Math.floor(deps.now().getTime() / 1000) + 90 * 86_400,
            scopes: grant.scopes,
            granular_scopes: grant.scopes.map((scope) => ({ scope, target_ids: grant.accounts })),
            user_id: '100000000000001',
          },
        });
      },
    },
    {
      method: 'GET',
      path: '/meta/:version/me/permissions',
      handle: withToken(deps, (_, grant) =>
        json(200, {
          data: [
            ...grant.scopes.map((permission) => ({ permission, status: 'granted' })),
            ...metaScopes
              .filter((scope) => !grant.scopes.includes(scope))
              .map((permission) => ({ permission, status: 'declined' })),
          ],
        }),
      ),
    },
    {
      method: 'DELETE',
      path: '/meta/:version/me/permissions',
      handle: withToken(deps, (_, grant) => {
        consents.revoke(grant);
        return json(200, { success: true });
      }),
    },
  ];

  function exchange(request: SandboxRequest): Reply {
    const params = paramsOf(request);
    const { client_id: clientId = '', client_secret: secret = '', redirect_uri: redirectUri = '', code = '' } = params;
    if (clientId !== sandboxClient.id) return metaError({ code: 101, message: 'Error validating application.' });
    if (secret !== sandboxClient.secret) return metaError({ code: 1, message: 'Error validating client secret.' });
    if (params.grant_type === 'fb_exchange_token') {
      const grant = consents.find(params.fb_exchange_token, 'access', 'meta');
      if (typeof grant === 'string') return metaError({ code: 190 });
      const token = consents.token(grant, 'access', 'EAAsandboxlong', longLivedSeconds * 1000);
      return json(200, { access_token: token, token_type: 'bearer', expires_in: longLivedSeconds });
    }
    const grant = consents.redeem(code, { clientId, redirectUri });
    if (grant === 'used')
      return metaError({ code: 100, subcode: 36009, message: 'This authorization code has been used.' });
    if (grant === 'expired')
      return metaError({ code: 100, subcode: 36007, message: 'This authorization code has expired.' });
    if (typeof grant === 'string') {
      return metaError({ code: 100, subcode: 36008, message: 'Error validating verification code.' });
    }
    const token = consents.token(grant, 'access', 'EAAsandboxshort', hourMs);
    return json(200, { access_token: token, token_type: 'bearer', expires_in: 3600 });
  }
}
