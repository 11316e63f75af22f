export { holdsPeople } from './holds-people.ts';
export { appendEntry as writeAudit } from './store.ts';
