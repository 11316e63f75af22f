import { asProvider, createGoogleAds, type Providers } from '@tributary/providers';
import type { Sandbox } from '@tributary/sandbox';
import { connectMeta, metaOf } from './ad-platform.ts';
import { buildConnection } from './connection-builders.ts';
import type { Testkit } from './testkit.ts';

/** Meta and Google Ads clients that talk to the sandbox, as the providers of an API or a worker. */
export function adPlatformsOf(sandbox: Sandbox): Providers {
  const { settings } = sandbox;
  const meta = metaOf(sandbox);
  const google = asProvider(
    createGoogleAds({
      clientId: settings.GOOGLE_CLIENT_ID,
      clientSecret: settings.GOOGLE_CLIENT_SECRET,
      dialogUrl: settings.GOOGLE_DIALOG_URL,
      tokenUrl: settings.GOOGLE_TOKEN_URL,
      developerToken: settings.GOOGLE_ADS_DEVELOPER_TOKEN,
      adsUrl: settings.GOOGLE_ADS_URL,
      apiVersion: 'v25',
      dataManagerUrl: settings.GOOGLE_DATA_MANAGER_URL,
    }),
  );
  return { of: (channel) => (channel === google.facts.channel ? google : meta.of(channel)) };
}

export interface AdAccount {
  readonly channel: 'social_ads' | 'search_ads';
  readonly currency: string;
  /** The currencies of the ad accounts that the token can access. Defaults to the connected account's currency. */
  readonly visible?: readonly string[] | undefined;
}

/** Connects an ad account of the sandbox with a token that can access it and, optionally, other accounts. */
export async function connectAdAccount(
  kit: Pick<Testkit, 'app'>,
  sandbox: Sandbox,
  shop: { readonly profileId: string; readonly workspaceId: string },
  { channel, currency, visible = [currency] }: AdAccount,
): Promise<string> {
  if (channel === 'social_ads') return connectMeta(kit, sandbox, shop, currency, undefined, visible);
  const { customers } = sandbox.book.google.state;
  const customer = customers.find((one) => one.currency === currency);
  if (!customer) throw new Error(`The sandbox has no customer in ${currency}.`);
  const scopes = ['https://www.googleapis.com/auth/adwords'];
  const accounts = customers.filter((one) => visible.includes(one.currency)).map(({ id }) => id);
  const grant = sandbox.consents.grant({ of: 'google', clientId: '', redirectUri: '', scopes, accounts });
  const credentials = {
    accessToken: sandbox.consents.token(grant, 'access', 'ya29.sandbox'),
    refreshToken: sandbox.consents.token(grant, 'refresh', '1//sandbox'),
    expiresAt: '2099-01-01T00:00:00.000Z',
    granted: scopes,
  };
  const login = customer.manager === undefined ? {} : { loginCustomerId: customer.manager };
  return buildConnection(
    kit,
    { id: shop.profileId, workspaceId: shop.workspaceId },
    {
      channel,
      externalId: customer.id,
      credentials,
      granted: scopes,
      details: { currency, timeZone: 'UTC', ...login },
    },
  );
}
