export { holdsPeople } from './holds-people.ts';
export { paymentStandings } from './standings.ts';
