export { paymentStandings } from './standings.ts';
