export { dailyRates, findRates, type Rates, ratesOf, ratesOn } from './exchange-rates.ts';
