import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { Channel } from '@tributary/vocabulary';
import { listRuns } from './store.ts';

export const listExports: Handles<Routes['listExports']> = async ({ query }, { ledger, caller }) => {
  const { cursor: before, limit, status } = query;
  const rows = await ledger.transaction((tx) => listRuns(tx, caller.profileId, { before, status, limit: limit + 1 }), {
    readOnly: true,
  });
  const shown = rows.slice(0, limit);
  return answer(200, {
    data: shown.map(({ connectionId, channel, scheduledAt, settledAt, ...run }) => ({
      ...run,
      connection_id: connectionId,
      provider: channel as Channel,
      scheduled_at: scheduledAt.toISOString(),
      settled_at: settledAt?.toISOString() ?? null,
    })),
    pagination: { has_next: rows.length > limit, cursor: shown.at(-1)?.id ?? null },
  });
};
