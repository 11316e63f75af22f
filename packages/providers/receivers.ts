import type { ProviderSettings } from '@tributary/config';
import type { Channel } from '@tributary/vocabulary';
import { createReceive as receiveFintoc } from './fintoc/index.ts';
import { createReceive as receiveHighlevel } from './highlevel/receive.ts';
import { createReceive as receiveMercadoPago } from './mercado-pago/index.ts';
import type { Provider } from './provider.ts';
import { ShopifyCredentials } from './shopify/credentials.ts';
import { shopifyTells } from './shopify/tells.ts';
import { createReceive as receiveStripe } from './stripe/index.ts';

/** What of a provider verifies and reads its webhooks. */
export type Receiver = Pick<Provider, 'receive' | 'tells'> & Partial<Pick<Provider, 'credentials'>>;

/** The providers whose webhooks are taken. */
export interface Receivers {
  of(channel: Channel): Receiver | undefined;
}

type ReceiverSettings = Pick<
  ProviderSettings,
  'highlevelWebhookPublicKey' | 'stripeWebhookSecret' | 'mercadoPagoWebhookSecret' | 'fintocWebhookSecret'
>;

/** For a process that verifies webhooks and calls no provider: it needs what they are signed with, and no client's secret. */
export function createReceivers(settings: ReceiverSettings): Receivers {
  const signedWith = <Key>(key: Key | undefined, receive: (key: Key) => NonNullable<Receiver['receive']>) =>
    key === undefined ? undefined : { receive: receive(key) };
  const made: { readonly [Name in Channel]?: Receiver | undefined } = {
    crm_a: signedWith(settings.highlevelWebhookPublicKey, receiveHighlevel),
    payments_a: signedWith(settings.stripeWebhookSecret, receiveStripe),
    payments_b: signedWith(settings.mercadoPagoWebhookSecret, receiveMercadoPago),
    bank_link: signedWith(settings.fintocWebhookSecret, receiveFintoc),
    store: { tells: shopifyTells, credentials: ShopifyCredentials },
  };
  return { of: (channel) => made[channel] };
}
