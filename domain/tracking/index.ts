export { holdsPeople } from './holds-people.ts';
export { readInstallation } from './installation/installation.ts';
export { hasTrackingKeys } from './store.ts';
