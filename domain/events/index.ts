export { type Announcement, announce } from './announce.ts';
export { holdsPeople } from './holds-people.ts';
export { findEvents, type LoggedEvent, lastSequence, listEventsAfter, prolongEvents } from './log.ts';
