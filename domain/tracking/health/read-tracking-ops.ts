import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { TrackingServices } from '../services.ts';

export const readTrackingOps: Handles<Routes['readTrackingOps'], Pick<TrackingServices, 'clickhouse'>> = async (
  _input,
  { caller, now, signal, clickhouse },
) => {
  const [state] = await clickhouse.query('profile_read_state', { profile_id: caller.profileId }, { signal });
  const newest = state?.newest_received_at ?? null;
  const stateOf = (table: 'visits' | 'touches') => ({
    table,
    rows: Number(state?.[table] ?? 0),
    parts: Number(state?.[`${table}_parts`] ?? 0),
    pending_mutations: Number(state?.[`${table}_mutations`] ?? 0),
  });
  return answer(200, {
    data: {
      newest_received_at: newest,
      // Clocks of two machines may differ a little; nothing is ahead of now.
      lag_seconds: newest === null ? null : Math.max(0, Math.floor((now.getTime() - Date.parse(newest)) / 1_000)),
      tables: [stateOf('visits'), stateOf('touches')],
    },
  });
};
