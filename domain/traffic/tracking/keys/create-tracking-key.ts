import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { ensureTrackingKey, toKeyResponse } from './ensure-tracking-key.ts';

export const createTrackingKey: Handles<Routes['createTrackingKey']> = async (_input, context) => {
  const { caller, effect, now } = context;
  return effect(async (tx) => {
    const { key, isNew } = await ensureTrackingKey(tx, caller.profileId, now);
    return answer(isNew ? 201 : 200, { data: toKeyResponse(key) });
  });
};
