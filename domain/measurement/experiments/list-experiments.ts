import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { toExperimentResponse } from './experiment-response.ts';
import { listNewest } from './store.ts';

export const listExperiments: Handles<Routes['listExperiments']> = async ({ query }, { caller, ledger }) => {
  const { limit, cursor } = query;
  const found = await ledger.transaction((tx) => listNewest(tx, caller.profileId, cursor, limit + 1), {
    readOnly: true,
  });
  const rows = found.slice(0, limit);
  return answer(200, {
    data: rows.map(toExperimentResponse),
    pagination: { has_next: found.length > limit, cursor: rows.at(-1)?.id ?? null },
  });
};
