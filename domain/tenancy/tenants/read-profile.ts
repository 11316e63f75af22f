import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { toProfileResponse } from './profile.ts';
import type { ReadinessStep } from './readiness.ts';
import { checkProfile } from './store.ts';

export const readProfile: Handles<Routes['readProfile'], { readiness: readonly ReadinessStep[] }> = async (
  _input,
  { ledger, caller, readiness },
) => {
  const { profileId } = caller;
  const checks = readiness.map(({ isDone }) => isDone(profileId));
  const { done, ...row } = await ledger.transaction((tx) => checkProfile(tx, profileId, checks), {
    readOnly: true,
  });
  // Tenant isolation hides the workspace's agency flag here, so it is derived from the caller, whose lookup has read it.
  const isAgency = caller.isHealthcare && row.privacy_mode === 'standard';
  return answer(200, {
    data: {
      ...toProfileResponse(row, isAgency),
      readiness: [
        { step: 'attribution_enabled', is_done: row.is_attribution_enabled },
        ...readiness.map(({ step }, index) => ({ step, is_done: done[index] === true })),
      ],
    },
  });
};
