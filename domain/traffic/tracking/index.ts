export { personalData } from './personal-data.ts';
export { readInstallation } from './installation/installation.ts';
export { findTracked, hasTrackingKeys } from './store.ts';
