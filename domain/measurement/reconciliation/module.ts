export { createReconciliation } from './create-reconciliation.ts';
export { explainDifference } from './explain-difference.ts';
export { listDifferences } from './list-differences.ts';
export { listReconciliations } from './list-reconciliations.ts';
export { readReconciliation } from './read-reconciliation.ts';
export { reconcileNightly, reconcileWeekly } from './reconcile-nightly.job.ts';
export { reconciliations } from './reconciliations.queue.ts';
export { repairReconciliation } from './repair-reconciliation.ts';
export { countDifferences } from './store.ts';
