export { personalData } from './personal-data.ts';
export { appendEntry as writeAudit } from './store.ts';
