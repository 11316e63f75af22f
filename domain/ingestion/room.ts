export { type Ingestion, openIngestion } from './context.ts';
export { countBadVisits } from './count-bad-visits.ts';
export { forgetDeadLetters, forgetLettersOf } from './forget-dead-letters.ts';
export { sealedBadVisits } from './keep-bad-visits.ts';
export { type Agent, refusedMessage, sealMessage, type VisitMessage } from './message.ts';
export { pipeline, visitsConsumer } from './pipeline.ts';
export { replayBadVisits } from './replay-bad-visits.ts';
export { takeVisit } from './take-visit.ts';
export { visitorLinks } from './visitor-links.ts';
