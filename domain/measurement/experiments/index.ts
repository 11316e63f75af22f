export { dayAfter } from './experiment-response.ts';
export { isNearTested, listValidTests, type ValidTest } from './store.ts';
