export { type AttributionOptions, startAttribution } from './attribute-dirty.ts';
export { readReplayStatus } from './read-replay-status.ts';
export { type ReplayOptions, type ReplayResult, replay } from './replay.ts';
export { statementTables } from './statement.ts';
