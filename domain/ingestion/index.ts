export { type Ingestion, openIngestion } from './context.ts';
export { findTrackingKeys, type TrackingKey } from './find-tracking-keys.ts';
export { type Agent, type Arrival, sealMessage, type VisitMessage } from './message.ts';
export { pipeline } from './pipeline.ts';
export { replayBadVisits } from './replay-bad-visits.ts';
export { countBrowsers, findHolder, listBrowsers } from './store.ts';
export { takeVisit } from './take-visit.ts';
