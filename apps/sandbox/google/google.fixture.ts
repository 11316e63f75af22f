import { createGoogleAds, createSearchConsole } from '@tributary/providers';
import type { Sandbox } from '../index.ts';
import { scopeOf } from './oauth.ts';
import type { GoogleCustomer } from './state.ts';

const clientOf = ({ settings }: Sandbox) => ({
  clientId: settings.GOOGLE_CLIENT_ID,
  clientSecret: settings.GOOGLE_CLIENT_SECRET,
  dialogUrl: settings.GOOGLE_DIALOG_URL,
  tokenUrl: settings.GOOGLE_TOKEN_URL,
});

export const googleAdsAt = (sandbox: Sandbox) =>
  createGoogleAds({
    ...clientOf(sandbox),
    developerToken: sandbox.settings.GOOGLE_ADS_DEVELOPER_TOKEN,
    adsUrl: sandbox.settings.GOOGLE_ADS_URL,
    apiVersion: 'v25',
    dataManagerUrl: sandbox.settings.GOOGLE_DATA_MANAGER_URL,
  });

export const searchConsoleAt = (sandbox: Sandbox) =>
  createSearchConsole({ ...clientOf(sandbox), apiUrl: sandbox.settings.SEARCH_CONSOLE_URL });

/** The credentials that a user's consent yields. */
export function openGoogle({ consents }: Sandbox, accounts: readonly string[], now: Date) {
  const scopes = Object.values(scopeOf);
  const grant = consents.grant({ of: 'google', clientId: '', redirectUri: '', scopes, accounts });
  return {
    accessToken: consents.token(grant, 'access', 'ya29.sandbox'),
    refreshToken: consents.token(grant, 'refresh', '1//sandbox'),
    expiresAt: new Date(now.getTime() + 3_599_000).toISOString(),
    granted: [...scopes],
  };
}

export const openCustomer = (sandbox: Sandbox, of: GoogleCustomer, now: Date) => ({
  externalId: of.id,
  credentials: openGoogle(sandbox, [of.id], now),
  details: {
    currency: of.currency,
    timeZone: 'UTC',
    ...(of.manager !== undefined && { loginCustomerId: of.manager, conversionCustomerId: of.manager }),
  },
});
