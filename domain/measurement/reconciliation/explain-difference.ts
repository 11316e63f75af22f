import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { findRun, toDifferenceResponse } from './show.ts';
import { saveExplained } from './store.ts';

export const explainDifference: Handles<Routes['explainDifference']> = ({ params, body }, { caller, effect }) =>
  effect(async (tx) => {
    const { id } = await findRun(tx, caller.profileId, params.reconciliation_id);
    const saved = await saveExplained(tx, caller.profileId, id, Number(params.number), body.note);
    return answer(200, {
      data: toDifferenceResponse(saved ?? refuse('not_found', 'There is no such difference in this reconciliation.')),
    });
  });
