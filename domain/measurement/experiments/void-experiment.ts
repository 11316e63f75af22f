import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { experimentStates } from '@tributary/vocabulary';
import { toExperimentResponse } from './experiment-response.ts';
import { lockExperiment } from './refuse-experiment.ts';
import { saveState } from './store.ts';

const revocable = experimentStates.filter((state) => state !== 'void');

export const voidExperiment: Handles<Routes['voidExperiment']> = async ({ params, body }, { caller, effect, now }) => {
  const { profileId } = caller;
  return effect(async (tx) => {
    const found = await lockExperiment(tx, profileId, params.id, ...revocable);
    const gone = await saveState(tx, profileId, found.id, { state: 'void', endedAt: now, voidReason: body.reason });
    return answer(200, { data: toExperimentResponse(gone) });
  });
};
