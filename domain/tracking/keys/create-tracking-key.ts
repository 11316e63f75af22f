import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { insertKey, type KeyRow, listActiveKeys } from '../store.ts';

export const createTrackingKey: Handles<Routes['createTrackingKey']> = async (_input, context) => {
  const { caller, effect, now } = context;
  const profileId = caller.profileId;
  return effect(async (tx) => {
    for (;;) {
      const made = await insertKey(tx, profileId, now);
      if (made) return answer(201, { data: showTrackingKey(made) });
      const [active] = await listActiveKeys(tx, profileId);
      if (active) return answer(200, { data: showTrackingKey(active) });
      // It was revoked in between: now there is room for a new one.
    }
  });
};

export const showTrackingKey = ({ id, key, created_at }: KeyRow) => ({ id, key, created_at: created_at.toISOString() });
