export { type Announcement, announce } from './announce.ts';
export { findEvents, type LoggedEvent, lastSequence, listEventsAfter, prolongEvents } from './log.ts';
export { personalData } from './personal-data.ts';
