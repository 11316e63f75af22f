export { createHighlevel, type HighlevelSettings } from './highlevel/index.ts';
export { createMeta, type MetaSettings } from './meta/index.ts';
export type * from './provider.ts';
export { ProviderFault } from './provider-fault.ts';
export { createStripe, type StripeSettings } from './stripe/index.ts';
