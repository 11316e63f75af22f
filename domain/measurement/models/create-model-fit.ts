import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { v7 as uuid } from 'uuid';
import { toFitResponse } from './fit-response.ts';
import type { ModelServices } from './services.ts';
import { addFit, type Fit, failStuckFits, findWaiting } from './store.ts';

export const createModelFit: Handles<Routes['createModelFit'], ModelServices> = async (
  _input,
  { caller, effect, now, jobs },
) => {
  const { profileId } = caller;
  return effect(async (tx) => {
    await failStuckFits(tx, profileId, now);
    const added = await addFit(tx, profileId, uuid(), now);
    if (added) await jobs.enqueue(tx, 'fitModels', { profileId, fitId: added.id });
    return answer(202, { data: toFitResponse(added ?? ((await findWaiting(tx, profileId)) as Fit)) });
  });
};
