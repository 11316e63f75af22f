import type { Routes } from '@tributary/contract';
import { findEntitiesOfLevel } from '@tributary/domain/advertising/campaigns';
import { answer, type Handles, refuse } from '@tributary/operations';
import { saveTactic } from './store.ts';

export const sayTactic: Handles<Routes['sayTactic']> = async ({ params, body }, { caller, effect, now }) => {
  const { profileId } = caller;
  const { entity_id: id } = params;
  return effect(async (tx) => {
    const existing = await findEntitiesOfLevel(tx, profileId, 'campaign', [id]);
    if (!existing.has(id)) return refuse('not_found', 'There is no such campaign.');
    await saveTactic(tx, profileId, id, body.tactic, now);
    return answer(200, { data: { entity_id: id, tactic: body.tactic } });
  });
};
