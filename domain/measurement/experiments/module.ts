export { createExperiment } from './create-experiment.ts';
export { listExperiments } from './list-experiments.ts';
export { readExperiment } from './read-experiment.ts';
export { startExperiment } from './start-experiment.ts';
export { stopExperiment } from './stop-experiment.ts';
export { voidExperiment } from './void-experiment.ts';
