import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { toHandoffResponse } from './handoff-response.ts';
import type { HandoffServices } from './services.ts';
import { findHandoff } from './store.ts';

export const readHandoff: Handles<Routes['readHandoff'], HandoffServices> = async (
  { params: { id } },
  { caller: { profileId, appId }, ledger, now, baseUrl, vault },
) => {
  const row = await ledger.transaction((tx) => findHandoff(tx, profileId, id, appId), { readOnly: true });
  if (!row) refuse('not_found', 'There is no such hand-off.');
  return answer(200, { data: toHandoffResponse(row, { baseUrl, vault }, now) });
};
