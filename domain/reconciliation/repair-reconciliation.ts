import type { Routes } from '@tributary/contract';
import { markDirty } from '@tributary/domain/outcomes';
import { answer, type Handles } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { findKnown } from './show.ts';
import { listSubjects } from './store.ts';

/** What differs is worked out again from the ledger, which stays as it is. */
export const repairReconciliation: Handles<Routes['repairReconciliation']> = async (
  { params, query, body },
  { caller, ledger, effect, addToAudit },
) => {
  const { profileId } = caller;
  const find = async (tx: Tx) => {
    const { id } = await findKnown(tx, profileId, params.reconciliation_id);
    return { id, subjects: await listSubjects(tx, profileId, id, body.kinds) };
  };
  if (query.dry_run === 'true') {
    const { id, subjects } = await ledger.transaction(find, { readOnly: true });
    const outcome = subjects.length > 0 ? 'dry_run' : 'no_change';
    return answer(200, { data: { id, outcome, conversions: subjects.length } });
  }
  return effect(async (tx) => {
    const { id, subjects } = await find(tx);
    await markDirty(tx, profileId, new Map(subjects.map((subject) => [subject, ['repair']])), id);
    addToAudit({ detail: { kinds: body.kinds, conversions: subjects.length } });
    const outcome = subjects.length > 0 ? 'applied' : 'no_change';
    return answer(200, { data: { id, outcome, conversions: subjects.length } });
  });
};
