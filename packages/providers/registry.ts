import type { ProviderSettings } from '@tributary/config';
import type { Channel } from '@tributary/vocabulary';
import { createMeta } from './meta/index.ts';
import type { Provider } from './provider.ts';
import { salesProviders } from './sales-providers.ts';

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
};

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
