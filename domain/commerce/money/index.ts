export { dailyRates, findDailyRates, findRates, type Rates, ratesOf } from './exchange-rates.ts';
