import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { findKnown, showReconciliation } from './show.ts';

export const readReconciliation: Handles<Routes['readReconciliation']> = async ({ params }, { caller, ledger }) => {
  const run = await ledger.transaction((tx) => findKnown(tx, caller.profileId, params.reconciliation_id), {
    readOnly: true,
  });
  const { currency = null, days = [] } = run.found ?? {};
  return answer(200, { data: { ...showReconciliation(run), currency, days: [...days] } });
};
