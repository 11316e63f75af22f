export { type Ingestion, openIngestion } from './context.ts';
export { forgetDeadLetters } from './forget-dead-letters.ts';
export { type Agent, refusedMessage, sealMessage, type VisitMessage } from './message.ts';
export { pipeline } from './pipeline.ts';
export { replayBadVisits } from './replay-bad-visits.ts';
export { takeVisit } from './take-visit.ts';
