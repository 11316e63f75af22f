import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { listActiveKeys } from '../store.ts';
import { toKeyResponse } from './ensure-tracking-key.ts';

export const listTrackingKeys: Handles<Routes['listTrackingKeys']> = async (_input, { ledger, caller }) => {
  const keys = await ledger.transaction((tx) => listActiveKeys(tx, caller.profileId), { readOnly: true });
  return answer(200, { data: keys.map(toKeyResponse) });
};
