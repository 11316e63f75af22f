import { consentRoutes } from '../consent-page.ts';
import type { Grant } from '../consents.ts';
import { type House, sandboxClient } from '../house.ts';
import { type Asked, bearerOf, formOf, json, type Reply, type Route } from '../route.ts';

export const scopeOf = {
  ads: 'https://www.googleapis.com/auth/adwords',
  dataManager: 'https://www.googleapis.com/auth/datamanager',
  searchConsole: 'https://www.googleapis.com/auth/webmasters.readonly',
} as const;

const accessSeconds = 3_599;

export function oauthRoutes(
  house: House,
  accounts: (scopes: string) => readonly { id: string; name: string }[],
): Route[] {
  const { consents } = house;
  return [
    ...consentRoutes(
      {
        of: 'google',
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
      handle(asked) {
        const found = formOf(asked).get('token') ?? '';
        const [refresh, access] = [consents.find(found, 'refresh', 'google'), consents.find(found, 'access', 'google')];
        const grant = typeof refresh === 'string' ? access : refresh;
        if (typeof grant === 'string') return json(400, { error: 'invalid_token' });
        consents.revoke(grant);
        return json(200, {});
      },
    },
  ];

  /** The refresh token stays the same when it is used. */
  function token(asked: Asked): Reply {
    const form = formOf(asked);
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

/** A handler for whoever brings a living token with this scope. */
export function withScope(
  house: House,
  scope: string,
  handle: (asked: Asked, grant: Grant) => Reply,
): (asked: Asked) => Reply {
  return (asked) => {
    const grant = house.consents.find(bearerOf(asked), 'access', 'google');
    if (typeof grant === 'string') {
      return rpcError(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
    }
    if (!grant.scopes.includes(scope)) {
      return rpcError(403, 'PERMISSION_DENIED', 'Request had insufficient authentication scopes.', [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' },
      ]);
    }
    return handle(asked, grant);
  };
}

export const rpcError = (code: number, status: string, message: string, details: readonly object[] = []): Reply =>
  json(code, { error: { code, message, status, details } });
