import type { Routes } from '@tributary/contract';
import { findDays } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles } from '@tributary/operations';
import { toExperimentResponse } from './experiment-response.ts';
import { lockExperiment, refuseExperiment } from './refuse-experiment.ts';
import { findOverlapping, saveState } from './store.ts';

/** Refuses to start a test that cannot answer its question, because its result would be believed. */
export const startExperiment: Handles<Routes['startExperiment']> = async ({ params }, { caller, effect, now }) => {
  const { profileId } = caller;
  return effect(async (tx) => {
    const found = await lockExperiment(tx, profileId, params.id, 'draft');
    if (found.power?.verdict !== 'enough') return refuseExperiment('underpowered');
    const { from } = await findDays(tx, profileId, found.startsOn, found.endsOn);
    if (now >= from) return refuseExperiment('begun');
    if (await findOverlapping(tx, profileId, found)) return refuseExperiment('overlapping');
    const started = await saveState(tx, profileId, found.id, { state: 'running', startedAt: now });
    return answer(200, { data: toExperimentResponse(started) });
  });
};
