import { createMeta } from '@tributary/providers';
import type { Sandbox } from '../index.ts';
import { metaScopes } from './oauth.ts';
import type { MetaAccount } from './state.ts';

export const metaAt = ({ settings }: Sandbox) =>
  createMeta({
    clientId: settings.META_CLIENT_ID,
    clientSecret: settings.META_CLIENT_SECRET,
    apiUrl: settings.META_API_URL,
    dialogUrl: settings.META_DIALOG_URL,
    apiVersion: 'v26.0',
  });

/** An ad account with the credentials that a user's consent yields. */
export function openMetaAccount({ consents }: Sandbox, of: MetaAccount, scopes: readonly string[] = metaScopes) {
  const grant = consents.grant({ of: 'meta', clientId: '', redirectUri: '', scopes, accounts: [of.id] });
  const accessToken = consents.token(grant, 'access', 'EAAsandboxlong');
  return {
    externalId: of.id,
    credentials: { accessToken, expiresAt: null, granted: [...scopes] },
    details: { currency: of.currency, timeZone: of.timeZone },
  };
}
