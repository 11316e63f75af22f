import type { ProviderSettings } from '@tributary/config';
import type { Channel } from '@tributary/vocabulary';
import { createReceive as receiveFintoc } from './fintoc/index.ts';
import { createReceive as receiveHighlevel } from './highlevel/receive.ts';
import { createReceive as receiveMercadoPago } from './mercado-pago/index.ts';
import type { Provider } from './provider.ts';
import { ShopifyCredentials } from './shopify/credentials.ts';
import { shopifyTells } from './shopify/webhooks.ts';
import { createReceive as receiveStripe } from './stripe/index.ts';

/** The part of a provider that verifies and parses its webhooks. */
export type Receiver = Pick<Provider, 'receive' | 'selfSignedWebhooks'> & Partial<Pick<Provider, 'credentials'>>;

/** The providers with configured webhooks. */
export interface Receivers {
  of(channel: Channel): Receiver | undefined;
}

type ReceiverSettings = Pick<
  ProviderSettings,
  'highlevelWebhookPublicKey' | 'stripeWebhookSecret' | 'mercadoPagoWebhookSecret' | 'fintocWebhookSecret'
>;

/** For a process that only verifies webhooks: it needs the webhook secrets, but no OAuth client secrets. */
export function createReceivers(settings: ReceiverSettings): Receivers {
  const signedWith = <Key>(key: Key | undefined, receive: (key: Key) => NonNullable<Receiver['receive']>) =>
    key === undefined ? undefined : { receive: receive(key) };
  const receivers: { readonly [Name in Channel]?: Receiver | undefined } = {
    crm_a: signedWith(settings.highlevelWebhookPublicKey, receiveHighlevel),
    payments_a: signedWith(settings.stripeWebhookSecret, receiveStripe),
    payments_b: signedWith(settings.mercadoPagoWebhookSecret, receiveMercadoPago),
    bank_link: signedWith(settings.fintocWebhookSecret, receiveFintoc),
    store: { selfSignedWebhooks: shopifyTells, credentials: ShopifyCredentials },
  };
  return { of: (channel) => receivers[channel] };
}
