export { audit } from './audit.ts';
export { holdsPeople } from './holds-people.ts';
