export { holdsPeople } from './holds-people.ts';
export { hasTrackingKeys } from './store.ts';
