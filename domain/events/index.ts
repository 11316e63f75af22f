export { type Announcement, announce } from './announce.ts';
export { holdsPeople } from './holds-people.ts';
