export { createGoogleAds, type GoogleAdsSettings } from './google-ads/index.ts';
export { createHighlevel, type HighlevelSettings } from './highlevel/index.ts';
export { createMeta, type MetaSettings } from './meta/index.ts';
export type * from './provider.ts';
export { type FaultDetails, ProviderFault, type Verdict } from './provider-fault.ts';
export { asProvider, createProviders, type Providers } from './registry.ts';
export { createSearchConsole, type SearchConsoleSettings } from './search-console/index.ts';
export { createSend, openCall } from './send.ts';
