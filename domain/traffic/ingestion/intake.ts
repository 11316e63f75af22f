/**
 * The entry point for the collector. It contains only the code that runs before a visit enters the stream, so the
 * collector does not load the rest of the module.
 */
export { findTrackingKeys, type TrackingKey } from './find-tracking-keys.ts';
export { type Agent, refusedMessage, sealMessage, type VisitMessage } from './message.ts';
