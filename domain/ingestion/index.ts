export { findTrackingKeys, type TrackingKey } from './find-tracking-keys.ts';
export { type Agent, type Arrival, sealMessage, type VisitMessage } from './message.ts';
