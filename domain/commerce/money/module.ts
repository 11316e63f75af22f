export { copyRates, saveRates } from './exchange-rates.ts';
export { fetchRates, type RateSources } from './fetch-rates.job.ts';
