export { type AttributionOptions, startAttribution } from './attribute-dirty.ts';
export { readReplayStatus } from './read-replay-status.ts';
