export { createMeta, type MetaSettings } from './meta/index.ts';
export type * from './provider.ts';
export { ProviderFault } from './provider-fault.ts';
