export { holdsPeople } from './holds-people.ts';
export { recountRefunds } from './refunds.ts';
export { paymentStandings } from './standings.ts';
