import type { ProviderSettings } from '@tributary/config';
import { createFintoc } from './fintoc/index.ts';
import { createHighlevel } from './highlevel/index.ts';
import { createManychat } from './manychat/index.ts';
import { createMercadoPago } from './mercado-pago/index.ts';
import type { Provider } from './provider.ts';
import { createShopify } from './shopify/index.ts';
import { createStripe } from './stripe/index.ts';

/** Creates the providers of deals, payments, orders and chats from the settings; undefined if a client is not configured. */
export const salesProviders = {
  crm_a({ highlevelClientId: clientId, highlevelClientSecret: clientSecret, ...of }: ProviderSettings) {
    if (!clientId || !clientSecret) return undefined;
    const { highlevelApiUrl: apiUrl, highlevelDialogUrl: dialogUrl, highlevelApiVersion: apiVersion } = of;
    const webhookPublicKey = of.highlevelWebhookPublicKey;
    return anyProvider(createHighlevel({ clientId, clientSecret, apiUrl, dialogUrl, apiVersion, webhookPublicKey }));
  },
  payments_a({ stripeClientId: clientId, stripeClientSecret: clientSecret, ...of }: ProviderSettings) {
    if (!clientId || !clientSecret) return undefined;
    const { stripeApiUrl: apiUrl, stripeDialogUrl: dialogUrl, stripeApiVersion: apiVersion } = of;
    const webhookSecret = of.stripeWebhookSecret;
    return anyProvider(createStripe({ clientId, clientSecret, apiUrl, dialogUrl, apiVersion, webhookSecret }));
  },
  payments_b({ mercadoPagoClientId: clientId, mercadoPagoClientSecret: clientSecret, ...of }: ProviderSettings) {
    if (!clientId || !clientSecret) return undefined;
    const { mercadoPagoApiUrl: apiUrl, mercadoPagoDialogUrl: dialogUrl, mercadoPagoWebhookSecret: webhookSecret } = of;
    return anyProvider(createMercadoPago({ clientId, clientSecret, apiUrl, dialogUrl, webhookSecret }));
  },
  bank_link({ fintocSecretKey: secretKey, fintocPublicKey: publicKey, ...of }: ProviderSettings) {
    if (!secretKey || !publicKey) return undefined;
    const { fintocApiUrl: apiUrl, fintocWidgetUrl: widgetUrl, fintocWebhookSecret: webhookSecret } = of;
    return anyProvider(createFintoc({ secretKey, publicKey, apiUrl, widgetUrl, webhookSecret }));
  },
  // A store and a chatbot are connected with keys that the merchant enters: the operator needs no client.
  store: ({ shopifyApiUrl: apiUrl, shopifyApiVersion: apiVersion }: ProviderSettings) =>
    anyProvider(createShopify({ apiUrl, apiVersion })),
  chatbot: ({ manychatApiUrl: apiUrl }: ProviderSettings) => anyProvider(createManychat({ apiUrl })),
};

const anyProvider = <Credentials, Position>(provider: Provider<Credentials, Position>): Provider =>
  provider as unknown as Provider;
