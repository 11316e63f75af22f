import { type CompanyDeps, sandboxClient } from '../company.ts';
import { consentRoutes } from '../consent-page.ts';
import type { Grant } from '../consents.ts';
import { bearerOf, formOf, json, type Reply, type Route, type SandboxRequest } from '../route.ts';

export const scopeOf = {
  ads: 'https://www.googleapis.com/auth/adwords',
  dataManager: 'https://www.googleapis.com/auth/datamanager',
  searchConsole: 'https://www.googleapis.com/auth/webmasters.readonly',
} as const;

const accessSeconds = 3_599;

export function oauthRoutes(
  deps: CompanyDeps,
  accounts: (scopes: string) => readonly { id: string; name: string }[],
): Route[] {
  const { consents } = deps;
  return [
    ...consentRoutes(
      {
        company: 'google',
        name: 'Google',
        path: '/google/o/oauth2/v2/auth',
        scopesBy: ' ',
        scopes: Object.values(scopeOf),
        choose: 'several',
        accounts: ({ query }) => accounts(query.get('scope') ?? ''),
        endings: {
          cancel: { error: 'access_denied' },
          deny: { error: 'admin_policy_enforced' },
          fail: { error: 'server_error' },
        },
      },
      consents,
    ),
    { method: 'POST', path: '/google/oauth2/token', handle: token },
    {
      method: 'POST',
      path: '/google/oauth2/revoke',
      handle(request) {
        const found = formOf(request).get('token') ?? '';
        const [refresh, access] = [consents.find(found, 'refresh', 'google'), consents.find(found, 'access', 'google')];
        const grant = typeof refresh === 'string' ? access : refresh;
        if (typeof grant === 'string') return json(400, { error: 'invalid_token' });
        consents.revoke(grant);
        return json(200, {});
      },
    },
  ];

  /** Refreshing does not rotate the refresh token. */
  function token(request: SandboxRequest): Reply {
    const form = formOf(request);
    if (form.get('client_id') !== sandboxClient.id || form.get('client_secret') !== sandboxClient.secret) {
      return json(401, { error: 'invalid_client', error_description: 'The OAuth client was not found.' });
    }
    const isRefresh = form.get('grant_type') === 'refresh_token';
    const grant = isRefresh
      ? consents.find(form.get('refresh_token') ?? '', 'refresh', 'google')
      : consents.redeem(form.get('code') ?? '', {
          clientId: sandboxClient.id,
          redirectUri: form.get('redirect_uri') ?? '',
          codeVerifier: form.get('code_verifier') ?? undefined,
        });
    if (typeof grant === 'string') {
      return json(400, { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' });
    }
    return json(200, {
      access_token: consents.token(grant, 'access', 'ya29.sandbox', accessSeconds * 1000),
      expires_in: accessSeconds,
      scope: grant.scopes.join(' '),
      token_type: 'Bearer',
      ...(!isRefresh && { refresh_token: consents.token(grant, 'refresh', '1//sandbox') }),
    });
  }
}

/** Wraps a handler so that it requires a valid token with this scope. */
export function withScope(
  deps: CompanyDeps,
  scope: string,
  handle: (request: SandboxRequest, grant: Grant) => Reply,
): (request: SandboxRequest) => Reply {
  return (request) => {
    const grant = deps.consents.find(bearerOf(request), 'access', 'google');
    if (typeof grant === 'string') {
      return rpcError(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
    }
    if (!grant.scopes.includes(scope)) {
      return rpcError(403, 'PERMISSION_DENIED', 'Request had insufficient authentication scopes.', [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' },
      ]);
    }
    return handle(request, grant);
  };
}

export const rpcError = (code: number, status: string, message: string, details: readonly object[] = []): Reply =>
  json(code, { error: { code, message, status, details } });
