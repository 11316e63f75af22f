import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { toExperimentResponse } from './experiment-response.ts';
import { findExperiment } from './store.ts';

export const readExperiment: Handles<Routes['readExperiment']> = async ({ params }, { caller, ledger }) => {
  const found = await ledger.transaction((tx) => findExperiment(tx, caller.profileId, params.id), { readOnly: true });
  if (!found) return refuse('not_found', 'There is no such experiment.');
  return answer(200, { data: toExperimentResponse(found) });
};
