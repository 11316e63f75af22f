import type { ProviderSettings } from '@tributary/config';
import type { Channel } from '@tributary/vocabulary';
import { createGoogleAds } from './google-ads/index.ts';
import type { GoogleClient } from './google-oauth.ts';
import { createMeta } from './meta/index.ts';
import type { Provider } from './provider.ts';
import { salesProviders } from './sales-providers.ts';
import { createSearchConsole } from './search-console/index.ts';

/** The providers that the operator has configured. */
export interface Providers {
  /** Undefined: the operator has not configured it. */
  of(channel: Channel): Provider | undefined;
}

type Create = (settings: ProviderSettings) => Provider | undefined;

/** Creates the provider of each channel from the settings; undefined if its client is not configured. */
const makers: { readonly [Name in Channel]?: Create } = {
  ...salesProviders,
  social_ads({ metaClientId: clientId, metaClientSecret: clientSecret, ...of }) {
    if (!clientId || !clientSecret) return undefined;
    const [apiUrl, dialogUrl, apiVersion] = [of.metaApiUrl, of.metaDialogUrl, of.metaApiVersion];
    return asProvider(createMeta({ clientId, clientSecret, apiUrl, dialogUrl, apiVersion }));
  },
  search_ads(of) {
    const client = googleClient(of);
    const developerToken = of.googleDeveloperToken;
    if (!client || !developerToken) return undefined;
    const [adsUrl, apiVersion, dataManagerUrl] = [of.googleAdsUrl, of.googleAdsApiVersion, of.googleDataManagerUrl];
    return asProvider(createGoogleAds({ ...client, developerToken, adsUrl, apiVersion, dataManagerUrl }));
  },
  search_console(of) {
    const client = googleClient(of);
    return client && asProvider(createSearchConsole({ ...client, apiUrl: of.searchConsoleUrl }));
  },
};

function googleClient(of: ProviderSettings): GoogleClient | undefined {
  const { googleClientId: clientId, googleClientSecret: clientSecret } = of;
  if (!clientId || !clientSecret) return undefined;
  return { clientId, clientSecret, dialogUrl: of.googleDialogUrl, tokenUrl: of.googleTokenUrl };
}

export function createProviders(settings: ProviderSettings): Providers {
  const providers = new Map<string, Provider>();
  for (const [channel, create] of Object.entries(makers)) {
    const provider = create(settings);
    if (provider) providers.set(channel, provider);
  }
  return { of: (channel) => providers.get(channel) };
}

/**
 * Hides the types of credentials and position: callers store them, parse them with the provider's own schema and pass them back.
 */
export const asProvider = <Credentials, Position>(provider: Provider<Credentials, Position>): Provider =>
  provider as unknown as Provider;
