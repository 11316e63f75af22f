import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { toSyncResponse } from './progress-response.ts';
import { listActive, withSyncs } from './store.ts';

export const readSyncStatus: Handles<Routes['readSyncStatus']> = async ({ query }, { ledger, caller }) => {
  const { profileId } = caller;
  const found = await ledger.transaction(
    async (tx) => withSyncs(tx, profileId, await listActive(tx, profileId, query.provider)),
    { readOnly: true },
  );
  return answer(200, { data: found.map(toSyncResponse) });
};
