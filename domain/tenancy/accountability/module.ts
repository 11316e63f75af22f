export { refusalAuditor } from './audit-refusal.ts';
export { readAuditLog } from './read-audit-log.ts';
export { readPiiAccessLog } from './read-pii-access-log.ts';
export { appendEntry as writeAudit } from './store.ts';
export { verifyAudit } from './verify-audit.ts';
