export { paymentStandings } from './first-payment-status.ts';
export { personalData } from './personal-data.ts';
export { recountRefunds } from './refunds.ts';
