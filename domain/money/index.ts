export { dailyRates, findRates, ratesOn } from './exchange-rates.ts';
