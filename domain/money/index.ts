export { dailyRates, findRates } from './exchange-rates.ts';
