export { dayAfter } from './show-experiment.ts';
export { isNearTested, listValidTests, type Tested } from './store.ts';
