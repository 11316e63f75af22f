import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { ReplayState } from '@tributary/vocabulary';

export const readReplayStatus: Handles<Routes['readReplayStatus']> = async (_input, { ledger, caller }) => {
  const row = await ledger.transaction(
    (tx) =>
      tx
        .selectFrom('attribution_replays')
        .selectAll()
        .where('profile_id', '=', caller.profileId)
        .orderBy('requested_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst(),
    { readOnly: true },
  );
  if (!row) return answer(200, { data: null });
  return answer(200, {
    data: {
      id: row.id,
      cause: row.cause,
      state: row.state as ReplayState,
      buckets_total: row.buckets_total,
      buckets_done: row.buckets_done,
      conversions_done: Number(row.conversions_done),
      requested_at: row.requested_at.toISOString(),
      started_at: row.started_at?.toISOString() ?? null,
      finished_at: row.finished_at?.toISOString() ?? null,
      error: row.error,
    },
  });
};
