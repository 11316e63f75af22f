export { personalData } from './personal-data.ts';
export { listPartnerTouches, listPartnerTouchTimes, type PartnerTouch } from './store.ts';
