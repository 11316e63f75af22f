export { attribution } from './attribution.queue.ts';
export { readReplayStatus } from './read-replay-status.ts';
export { findNextOfRules, replay } from './replay.ts';
export { allBuckets, statementTables } from './statement.ts';
export { sweepFreshness } from './sweep-freshness.job.ts';
