export { pruneEvents } from './prune-events.job.ts';
