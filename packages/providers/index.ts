export { createHighlevel, type HighlevelSettings } from './highlevel/index.ts';
export { createMercadoPago, type MercadoPagoSettings } from './mercado-pago/index.ts';
export { createMeta, type MetaSettings } from './meta/index.ts';
export type * from './provider.ts';
export { type FaultDetails, ProviderFault, type Verdict } from './provider-fault.ts';
export { asProvider, createProviders, type Providers } from './registry.ts';
export { createSend, openCall } from './send.ts';
export { createStripe, type StripeSettings } from './stripe/index.ts';
