import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { findRun, toDifferenceResponse } from './show.ts';
import { listFound } from './store.ts';

export const listDifferences: Handles<Routes['listDifferences']> = async ({ params, query }, { caller, ledger }) => {
  const { limit, cursor } = query;
  const rows = await ledger.transaction(
    async (tx) => {
      const { id } = await findRun(tx, caller.profileId, params.reconciliation_id);
      return listFound(tx, caller.profileId, id, Number(cursor ?? 0), limit + 1);
    },
    { readOnly: true },
  );
  const shown = rows.slice(0, limit);
  return answer(200, {
    data: shown.map(toDifferenceResponse),
    pagination: { has_next: rows.length > limit, cursor: shown.at(-1)?.number.toString() ?? null },
  });
};
