import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { deleteBatch, endBatch } from './decisions.ts';

/** Removes the decisions of a batch, so that the rules apply again. */
export const undoSaleMatches: Handles<Routes['undoSaleMatches']> = async ({ params: { id } }, context) => {
  const { caller, effect, now, addToAudit } = context;
  const { profileId } = caller;
  return effect(async (tx) => {
    const isChange = await endBatch(tx, profileId, id, now);
    if (isChange === undefined) return refuse('not_found', 'There is no such batch in this profile.');
    const matches = isChange ? await deleteBatch(tx, profileId, id) : 0;
    if (isChange) addToAudit({ detail: { matches } });
    return answer(200, { data: { id, outcome: isChange ? 'applied' : 'no_change', matches } });
  });
};
