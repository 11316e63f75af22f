export { holdsPeople } from './holds-people.ts';
export { listPartnerTouches, listPartnerTouchTimes, type PartnerTouch } from './store.ts';
