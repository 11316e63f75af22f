export { settleCustomers } from './settle-customers.job.ts';
export { paymentStandings } from './standings.ts';
