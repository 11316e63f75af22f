export { type AttributionOptions, startAttribution } from './attribute-dirty.ts';
