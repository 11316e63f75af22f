export { firstPayments } from './first-payments.queue.ts';
export { paymentStandings } from './standings.ts';
