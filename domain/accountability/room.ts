export { refusalAuditor } from './audit-refusal.ts';
export { pruneAccessLog } from './prune-access-log.job.ts';
export { verifyAudit } from './verify-audit.ts';
