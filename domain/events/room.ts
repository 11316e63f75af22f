export { pruneEvents } from './prune-events.job.ts';
export { countEvents, startSequencer } from './sequencer.ts';
