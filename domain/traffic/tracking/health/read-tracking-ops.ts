import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { TrackingServices } from '../services.ts';

export const readTrackingOps: Handles<Routes['readTrackingOps'], Pick<TrackingServices, 'clickhouse'>> = async (
  _input,
  { caller, now, signal, clickhouse },
) => {
  const [state] = await clickhouse.query('profile_read_state', { profile_id: caller.profileId }, { signal });
  const newest = state?.newest_received_at ?? null;
  const toTableState = (table: 'visits' | 'touches') => ({
    table,
    rows: Number(state?.[table] ?? 0),
    parts: Number(state?.[`${table}_parts`] ?? 0),
    pending_mutations: Number(state?.[`${table}_mutations`] ?? 0),
  });
  return answer(200, {
    data: {
      newest_received_at: newest,
      // Clock skew between machines must not produce a negative lag.
      lag_seconds: newest === null ? null : Math.max(0, Math.floor((now.getTime() - Date.parse(newest)) / 1_000)),
      tables: [toTableState('visits'), toTableState('touches')],
    },
  });
};
