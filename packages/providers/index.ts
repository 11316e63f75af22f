export type * from './provider.ts';
export { ProviderFault } from './provider-fault.ts';
