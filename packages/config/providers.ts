import { z } from 'zod';
import { address, list, optional, setting, type Value } from './setting.ts';

/** Providers that a profile can connect. Each is off until its client is set. */

const word = z.string().min(1);
const id = (variable: string, about: string) => optional(variable, word, about);
const secret = (variable: string, about: string) => optional(variable, word, about, { secret: true });
const url = (variable: string, about: string, fallback: string) =>
  setting(variable, address('http:', 'https:'), about, { fallback });
const version = (variable: string, about: string, fallback: string) => setting(variable, word, about, { fallback });

const common = {
  providerLocalHosts: setting(
    'PROVIDER_LOCAL_HOSTS',
    list,
    'Hosts, like localhost, at which providers may be asked though they are not public, also over plain HTTP and at any port. For the sandbox, and for nothing else.',
    { fallback: '' },
  ),
};

const meta = {
  metaClientId: id('META_CLIENT_ID', 'The id of your app at Meta. Unset: ad accounts of Meta cannot be connected.'),
  metaClientSecret: secret('META_CLIENT_SECRET', 'The secret of that app.'),
  metaApiUrl: url('META_API_URL', 'Where its Graph API answers.', 'https://graph.facebook.com'),
  metaDialogUrl: url('META_DIALOG_URL', 'Where people consent.', 'https://www.facebook.com'),
  metaApiVersion: version('META_API_VERSION', 'The version of its Marketing API.', 'v26.0'),
};

const google = {
  googleClientId: id(
    'GOOGLE_CLIENT_ID',
    'The id of your OAuth client at Google. Unset: neither Google Ads nor Search Console can be connected.',
  ),
  googleClientSecret: secret('GOOGLE_CLIENT_SECRET', 'The secret of that client.'),
  googleDeveloperToken: secret(
    'GOOGLE_ADS_DEVELOPER_TOKEN',
    'Your developer token for the Google Ads API. Unset: Google Ads cannot be connected.',
  ),
  googleDialogUrl: url('GOOGLE_DIALOG_URL', 'Where people consent.', 'https://accounts.google.com'),
  googleTokenUrl: url('GOOGLE_TOKEN_URL', 'Where tokens are issued and revoked.', 'https://oauth2.googleapis.com'),
  googleAdsUrl: url('GOOGLE_ADS_URL', 'Where the Google Ads API answers.', 'https://googleads.googleapis.com'),
  googleAdsApiVersion: version('GOOGLE_ADS_API_VERSION', 'The version of that API.', 'v25'),
  googleDataManagerUrl: url(
    'GOOGLE_DATA_MANAGER_URL',
    'Where the Data Manager API takes conversions.',
    'https://datamanager.googleapis.com',
  ),
  searchConsoleUrl: url('SEARCH_CONSOLE_URL', 'Where Search Console answers.', 'https://www.googleapis.com'),
};

const highlevel = {
  highlevelClientId: id(
    'HIGHLEVEL_CLIENT_ID',
    'The id of your marketplace app at HighLevel. Unset: it cannot be connected.',
  ),
  highlevelClientSecret: secret('HIGHLEVEL_CLIENT_SECRET', 'The secret of that app.'),
  highlevelApiUrl: url('HIGHLEVEL_API_URL', 'Where its API answers.', 'https://services.leadconnectorhq.com'),
  highlevelDialogUrl: url('HIGHLEVEL_DIALOG_URL', 'Where people consent.', 'https://marketplace.gohighlevel.com'),
  highlevelWebhookPublicKey: id(
    'HIGHLEVEL_WEBHOOK_PUBLIC_KEY',
    'The Ed25519 key, as PEM, that HighLevel publishes for its webhooks. Unset: none of them is taken.',
  ),
  highlevelApiVersion: version('HIGHLEVEL_API_VERSION', 'The version of its API.', '2021-07-28'),
};

const stripe = {
  stripeClientId: id('STRIPE_CLIENT_ID', 'The client id of your Stripe App. Unset: Stripe cannot be connected.'),
  stripeClientSecret: secret('STRIPE_CLIENT_SECRET', 'The secret key of the account that owns the app.'),
  stripeWebhookSecret: secret('STRIPE_WEBHOOK_SECRET', 'What it signs its webhooks with.'),
  stripeApiUrl: url('STRIPE_API_URL', 'Where its API answers.', 'https://api.stripe.com'),
  stripeDialogUrl: url('STRIPE_DIALOG_URL', 'Where people consent.', 'https://marketplace.stripe.com'),
  stripeApiVersion: version('STRIPE_API_VERSION', 'The version of its API.', '2026-07-29.dahlia'),
};

const mercadoPago = {
  mercadoPagoClientId: id(
    'MERCADO_PAGO_CLIENT_ID',
    'The id of your app at Mercado Pago. Unset: it cannot be connected.',
  ),
  mercadoPagoClientSecret: secret('MERCADO_PAGO_CLIENT_SECRET', 'The secret of that app.'),
  mercadoPagoWebhookSecret: secret('MERCADO_PAGO_WEBHOOK_SECRET', 'What it signs its webhooks with.'),
  mercadoPagoApiUrl: url('MERCADO_PAGO_API_URL', 'Where its API answers.', 'https://api.mercadopago.com'),
  mercadoPagoDialogUrl: url('MERCADO_PAGO_DIALOG_URL', 'Where people consent.', 'https://auth.mercadopago.com'),
};

const others = {
  shopifyApiUrl: version(
    'SHOPIFY_API_URL',
    'Where the API of a store answers; {shop} stands for its domain.',
    'https://{shop}',
  ),
  shopifyApiVersion: version('SHOPIFY_API_VERSION', 'The version of its API.', '2026-10'),
  fintocSecretKey: secret('FINTOC_SECRET_KEY', 'Your secret key at Fintoc. Unset: banks cannot be linked.'),
  fintocPublicKey: id('FINTOC_PUBLIC_KEY', 'Your public key at Fintoc, for its widget.'),
  fintocWebhookSecret: secret('FINTOC_WEBHOOK_SECRET', 'What it signs its webhooks with.'),
  fintocApiUrl: url('FINTOC_API_URL', 'Where its API answers.', 'https://api.fintoc.com'),
  fintocWidgetUrl: url('FINTOC_WIDGET_URL', 'The script of its widget.', 'https://js.fintoc.com/v1/'),
  manychatApiUrl: url('MANYCHAT_API_URL', 'Where the API of ManyChat answers.', 'https://api.manychat.com'),
};

export const providers = { ...common, ...meta, ...google, ...highlevel, ...stripe, ...mercadoPago, ...others };

/** The settings of providers as the provider registry reads them. */
export type ProviderSettings = { readonly [K in keyof typeof providers]: Value<(typeof providers)[K]> };
