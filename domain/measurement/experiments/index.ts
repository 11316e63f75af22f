export { dayAfter } from './show-experiment.ts';
export { isNearTested, listValidTests, type ValidTest } from './store.ts';
