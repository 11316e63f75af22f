import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { asProvider, createMeta, type Providers } from '@tributary/providers';
import { json, type Sandbox, startSandbox } from '@tributary/sandbox';
import { sql } from 'kysely';
import { buildConnection } from './connection-builders.ts';
import type { Scene } from './scene.ts';
import type { Testkit } from './testkit.ts';

/** Builds a response that the sandbox can be instructed to return. */
export const sandboxReply = json;

/** The permissions that allow changing an account's ads. */
const mayManage = ['ads_read', 'ads_management'];

type Kit = Pick<Testkit, 'app'>;

/** Starts a sandbox Meta and returns it as the providers of an API or a worker. */
export async function openAdPlatform(currencies: readonly string[], now: () => Date, timeoutMs = 2_000) {
  const sandbox = await startSandbox({ seed: 5, now, market: { currencies, campaigns: 12 * currencies.length } });
  return {
    sandbox,
    providers: metaOf(sandbox),
    providerOutbound: createOutbound({ timeoutMs, policy: localDevelopmentTargets }),
  };
}

export function metaOf({ settings }: Pick<Sandbox, 'settings'>): Providers {
  const meta = asProvider(
    createMeta({
      clientId: settings.META_CLIENT_ID,
      clientSecret: settings.META_CLIENT_SECRET,
      apiUrl: settings.META_API_URL,
      dialogUrl: settings.META_DIALOG_URL,
      apiVersion: 'v26.0',
    }),
  );
  return { of: (channel) => (channel === 'social_ads' ? meta : undefined) };
}

/** Inserts a connection from the shop to the sandbox's ad account in a currency. */
export function connectMeta(
  kit: Kit,
  sandbox: Sandbox,
  shop: { readonly profileId: string; readonly workspaceId: string },
  currency: string,
  scopes = mayManage,
  visible: readonly string[] = [currency],
): Promise<string> {
  const { accounts } = sandbox.book.meta.state;
  const account = accounts.find((one) => one.currency === currency);
  if (!account) throw new Error(`The sandbox has no account in ${currency}.`);
  const shared = accounts.filter((one) => visible.includes(one.currency)).map(({ id }) => id);
  const grant = sandbox.consents.grant({ of: 'meta', clientId: '', redirectUri: '', scopes, accounts: shared });
  const accessToken = sandbox.consents.token(grant, 'access', 'EAAsandboxlong');
  return buildConnection(
    kit,
    { id: shop.profileId, workspaceId: shop.workspaceId },
    {
      channel: 'social_ads',
      externalId: account.id,
      credentials: { accessToken, expiresAt: null, granted: scopes },
      granted: scopes,
      details: { currency, timeZone: 'UTC' },
    },
  );
}

/** Writes the account's ads, ad sets and campaigns to the shop's ledger, as a sync would. */
export async function recordAds(
  sandbox: Sandbox,
  shop: Pick<Scene, 'spend' | 'ledger'>,
  currency: string,
): Promise<void> {
  const { ads, creatives } = sandbox.book.meta.state;
  const mine = ads.filter(({ account }) => account.currency === currency);
  const rows = mine.map((ad) => ({
    external_id: ad.id,
    name: ad.name,
    status: ad.status,
    ad_set_external_id: ad.adSet.id,
    ad_set_name: ad.adSet.name,
    campaign_external_id: ad.adSet.campaign.id,
    campaign_name: ad.adSet.campaign.name,
    date: '2026-06-01',
    currency,
    spend: '3',
  }));
  for (let from = 0; from < rows.length; from += 500) await shop.spend(...rows.slice(from, from + 500));
  const tags = mine.map(({ creativeId }) => creatives.get(creativeId)?.urlTags ?? null);
  await shop.ledger.transaction((tx) =>
    sql`UPDATE ad_entities SET creative = jsonb_strip_nulls(jsonb_build_object('url_tags', told.tags))
      FROM unnest(${mine.map(({ id }) => id)}::text[], ${tags}::text[]) AS told (id, tags)
      WHERE external_id = told.id AND level = 'ad'`.execute(tx),
  );
}
