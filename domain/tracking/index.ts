export { hasTrackingKeys } from './store.ts';
