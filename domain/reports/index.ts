export { mostRates, rateParameters } from './period.ts';
