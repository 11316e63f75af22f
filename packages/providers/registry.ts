import type { ProviderSettings } from '@tributary/config';
import type { Channel } from '@tributary/vocabulary';
import { createGoogleAds } from './google-ads/index.ts';
import type { GoogleClient } from './google-oauth.ts';
import { createMeta } from './meta/index.ts';
import type { Provider } from './provider.ts';
import { salesProviders } from './sales-providers.ts';
import { createSearchConsole } from './search-console/index.ts';

/** The providers that the operator has set up. */
export interface Providers {
  /** Undefined: the operator has not set it up. */
  of(channel: Channel): Provider | undefined;
}

type Create = (settings: ProviderSettings) => Provider | undefined;

/** By channel, how its provider is made of the settings; undefined where they lack its client. */
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
  const made = new Map<string, Provider>();
  for (const [channel, create] of Object.entries(makers)) {
    const provider = create(settings);
    if (provider) made.set(channel, provider);
  }
  return { of: (channel) => made.get(channel) };
}

/**
 * A provider whose credentials and position are its own business: whoever keeps them has them parsed by its own schema and gives
 * back what it got.
 */
export const asProvider = <Credentials, Position>(provider: Provider<Credentials, Position>): Provider =>
  provider as unknown as Provider;
