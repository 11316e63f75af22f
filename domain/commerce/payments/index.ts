export { personalData } from './personal-data.ts';
export { recountRefunds } from './refunds.ts';
export { paymentStandings } from './first-payment-status.ts';
