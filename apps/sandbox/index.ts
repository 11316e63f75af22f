import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createDice, type MarketOptions } from '@tributary/market';
import { type CompanyDeps, sandboxClient } from './company.ts';
import { Consents } from './consents.ts';
import { type Fault, Faults } from './faults.ts';
import { createFintocCompany, fintocKeys } from './fintoc/index.ts';
import { sandboxDeveloperToken } from './google/ads.ts';
import { createGoogleCompany } from './google/index.ts';
import { createHighlevelCompany } from './highlevel/index.ts';
import { createManychatCompany } from './manychat/index.ts';
import { createMercadoPagoCompany } from './mercado-pago/index.ts';
import { createMetaCompany } from './meta/index.ts';
import { json } from './route.ts';
import { createSandboxServer, type SandboxCall } from './server.ts';
import { createShopifyCompany } from './shopify/index.ts';
import { createStripeCompany } from './stripe/index.ts';
import { createTikTokCompany } from './tiktok/index.ts';
import { createWorld, type World } from './world.ts';

export { sandboxClient } from './company.ts';
export type { Grant } from './consents.ts';
export type { Fault } from './faults.ts';
export { json, type Reply } from './route.ts';
export { callTo, completeConsent, sendTo } from './testing.ts';

export interface SandboxOptions {
  readonly port?: number;
  /** The same seed produces the same accounts, ads and figures. */
  readonly seed?: number;
  readonly now?: () => Date;
  /** The size of the simulated market; it ends today unless a start is given. */
  readonly market?: Partial<Omit<MarketOptions, 'seed'>>;
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** The maximum number of logged calls. */
const maxCalls = 10_000;

export async function startSandbox(options: SandboxOptions = {}) {
  const { port = 0, seed = 1, now = () => new Date(), market = {} } = options;
  const consents = new Consents(now);
  const world: World = createWorld({ ...market, seed }, now);
  const calls: SandboxCall[] = [];
  const faults = new Faults(createDice(seed));
  let url = '';
  const deps: CompanyDeps = { url: () => url, now, world, consents };
  const meta = createMetaCompany(deps);
  const google = createGoogleCompany(deps);
  const tiktok = createTikTokCompany(deps);
  const highlevel = createHighlevelCompany(deps);
  const stripe = createStripeCompany(deps);
  const mercadoPago = createMercadoPagoCompany(deps);
  const fintoc = createFintocCompany(deps);
  const manychat = createManychatCompany();
  const shopify = createShopifyCompany(deps);
  const settings = () => ({
    ...settingsFor(url),
    HIGHLEVEL_WEBHOOK_PUBLIC_KEY: highlevel.book.webhookPublicKey,
    STRIPE_WEBHOOK_SECRET: stripe.book.webhookSecret,
    MERCADO_PAGO_WEBHOOK_SECRET: mercadoPago.book.webhookSecret,
    FINTOC_WEBHOOK_SECRET: fintoc.book.webhookSecret,
  });
  const server = createSandboxServer({
    routes: [
      { method: 'GET', path: '/', handle: () => json(200, settings()) },
      ...meta.routes,
      ...google.routes,
      ...tiktok.routes,
      ...highlevel.routes,
      ...stripe.routes,
      ...mercadoPago.routes,
      ...fintoc.routes,
      ...manychat.routes,
      ...shopify.routes,
    ],
    faults,
    now,
    note: (call) => {
      calls.push(call);
      if (calls.length > 2 * maxCalls) calls.splice(0, maxCalls);
    },
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    /** The settings with which an API and its workers use this sandbox. */
    settings: settings(),
    /** The true state: the logged calls, and the data of each company. */
    book: {
      calls,
      meta: meta.book,
      tiktok: tiktok.book,
      highlevel: highlevel.book,
      stripe: stripe.book,
      mercadoPago: mercadoPago.book,
      fintoc: fintoc.book,
      manychat: manychat.book,
      shopify: shopify.book,
      google: google.book,
    },
    consents,
    say: (fault: Fault) => faults.say(fault),
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function settingsFor(url: string) {
  return {
    META_CLIENT_ID: sandboxClient.id,
    META_CLIENT_SECRET: sandboxClient.secret,
    META_API_URL: `${url}/meta`,
    META_DIALOG_URL: `${url}/meta`,
    GOOGLE_CLIENT_ID: sandboxClient.id,
    GOOGLE_CLIENT_SECRET: sandboxClient.secret,
    GOOGLE_ADS_DEVELOPER_TOKEN: sandboxDeveloperToken,
    GOOGLE_DIALOG_URL: `${url}/google`,
    GOOGLE_TOKEN_URL: `${url}/google/oauth2`,
    GOOGLE_ADS_URL: `${url}/google/ads`,
    GOOGLE_DATA_MANAGER_URL: `${url}/google/datamanager`,
    SEARCH_CONSOLE_URL: `${url}/google`,
    HIGHLEVEL_CLIENT_ID: sandboxClient.id,
    HIGHLEVEL_CLIENT_SECRET: sandboxClient.secret,
    HIGHLEVEL_API_URL: `${url}/highlevel`,
    HIGHLEVEL_DIALOG_URL: `${url}/highlevel`,
    STRIPE_CLIENT_ID: sandboxClient.id,
    STRIPE_CLIENT_SECRET: sandboxClient.secret,
    STRIPE_API_URL: `${url}/stripe`,
    STRIPE_DIALOG_URL: `${url}/stripe`,
    MERCADO_PAGO_CLIENT_ID: sandboxClient.id,
    MERCADO_PAGO_CLIENT_SECRET: sandboxClient.secret,
    MERCADO_PAGO_API_URL: `${url}/mercado-pago`,
    MERCADO_PAGO_DIALOG_URL: `${url}/mercado-pago`,
    FINTOC_SECRET_KEY: fintocKeys.secret,
    FINTOC_PUBLIC_KEY: fintocKeys.public,
    FINTOC_API_URL: `${url}/fintoc`,
    FINTOC_WIDGET_URL: `${url}/fintoc/widget.js`,
    MANYCHAT_API_URL: `${url}/manychat`,
    SHOPIFY_API_URL: `${url}/shopify/{shop}`,
  };
}
