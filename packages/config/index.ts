export { loadSettings, WrongSettings } from './load.ts';
export { configurationPage, environmentExample } from './pages.ts';
export type { ProviderSettings } from './providers.ts';
export type { Settings } from './settings.ts';
