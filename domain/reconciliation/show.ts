import { refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { findReconciliation, type Reconciliation } from './store.ts';

export const showReconciliation = (run: Reconciliation) => ({
  id: run.id,
  state: run.state,
  is_nightly: run.isNightly,
  date_from: run.dateFrom,
  date_to: run.dateTo,
  requested_at: run.requestedAt.toISOString(),
  finished_at: run.finishedAt?.toISOString() ?? null,
  differences: run.differences,
  pending: run.pending,
});

export const findKnown = async (tx: Tx, profileId: string, id: string): Promise<Reconciliation> =>
  (await findReconciliation(tx, profileId, id)) ??
  refuse('not_found', 'There is no such reconciliation in this profile.');
