export { holdsPeople } from './holds-people.ts';
export { readAttributionStage, type Stage, stageOf } from './read-freshness.ts';
