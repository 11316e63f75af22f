import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { toConnectionResponse } from './connection-response.ts';
import { findConnection, withSyncs } from './store.ts';

export const readConnection: Handles<Routes['readConnection']> = async ({ params }, { ledger, caller }) => {
  const { profileId } = caller;
  const [found] = await ledger.transaction(
    async (tx) => {
      const connection = await findConnection(tx, profileId, params.id);
      return withSyncs(tx, profileId, connection ? [connection] : []);
    },
    { readOnly: true },
  );
  if (!found) return noSuchConnection();
  return answer(200, { data: toConnectionResponse(found) });
};

export const noSuchConnection = (): never => refuse('not_found', 'There is no such connection.');
