/** The collector's door: what happens to a visit before the log has it. The rest of the room it never loads. */
export { findTrackingKeys, type TrackingKey } from './find-tracking-keys.ts';
export { type Agent, refusedMessage, sealMessage, type VisitMessage } from './message.ts';
