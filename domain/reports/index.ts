export { mostRates, rateParameters } from './period.ts';
export { findPeriod } from './store.ts';
