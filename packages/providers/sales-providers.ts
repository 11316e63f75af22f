import type { ProviderSettings } from '@tributary/config';
import { createHighlevel } from './highlevel/index.ts';
import { createMercadoPago } from './mercado-pago/index.ts';
import type { Provider } from './provider.ts';
import { createStripe } from './stripe/index.ts';

/** How the providers of deals, payments, orders and chats are made of the settings; undefined where they lack a client. */
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
};

const anyProvider = <Credentials, Position>(provider: Provider<Credentials, Position>): Provider =>
  provider as unknown as Provider;
