export { pruneEvents } from './prune-events.job.ts';
export { startSequencer } from './sequencer.ts';
