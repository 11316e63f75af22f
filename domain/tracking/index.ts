export { holdsPeople } from './holds-people.ts';
export { readInstallation } from './installation/installation.ts';
export { findTracked, hasTrackingKeys } from './store.ts';
