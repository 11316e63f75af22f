export { readInstallation } from './installation/installation.ts';
export { personalData } from './personal-data.ts';
export { findTracked, hasTrackingKeys } from './store.ts';
