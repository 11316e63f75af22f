export { holdsPeople } from './holds-people.ts';
