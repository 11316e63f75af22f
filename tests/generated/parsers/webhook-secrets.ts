import { generateKeyPairSync, type KeyObject } from 'node:crypto';

/** Webhook secrets of the providers in these targets. */
export const secrets = {
  payments_a: 'stripe-webhook-secret',
  payments_b: 'mercado-pago-webhook-secret',
  bank_link: 'fintoc-webhook-secret',
  store: 'shopify-webhook-secret',
} as const;
export const crmKeys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } =
  generateKeyPairSync('ed25519');

/** API settings with the same secrets. */
export const webhookSettings = {
  HIGHLEVEL_WEBHOOK_PUBLIC_KEY: crmKeys.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  STRIPE_WEBHOOK_SECRET: secrets.payments_a,
  MERCADO_PAGO_WEBHOOK_SECRET: secrets.payments_b,
  FINTOC_WEBHOOK_SECRET: secrets.bank_link,
};
export const storeCredentials = { webhookSecret: secrets.store, accessToken: null };
