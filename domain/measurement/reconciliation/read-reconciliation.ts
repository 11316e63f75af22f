import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { Channel } from '@tributary/vocabulary';
import { findRun, toDayResponses, toRunResponse } from './show.ts';

export const readReconciliation: Handles<Routes['readReconciliation']> = async ({ params }, { caller, ledger }) => {
  const run = await ledger.transaction((tx) => findRun(tx, caller.profileId, params.reconciliation_id), {
    readOnly: true,
  });
  return answer(200, {
    data: {
      ...toRunResponse(run),
      currency: run.found?.currency || null,
      days: toDayResponses(run.found?.books ?? [], run.found?.sources ?? []),
      unread: run.unread.map(({ connectionId, channel, reason }) => ({
        connection_id: connectionId,
        channel: channel as Channel,
        reason,
      })),
    },
  });
};
