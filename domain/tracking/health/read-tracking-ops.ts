import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { TrackingServices } from '../services.ts';

export const readTrackingOps: Handles<Routes['readTrackingOps'], Pick<TrackingServices, 'clickhouse'>> = async (
  _input,
  { caller, now, signal, clickhouse },
) => {
  const profileId = caller.profileId;
  const [[profile], tables] = await Promise.all([
    clickhouse.query('profile_read_state', { profile_id: profileId }, { signal }),
    clickhouse.query('table_read_state', {}, { signal }),
  ]);
  const newest = profile?.newest_received_at ?? null;
  const stateOf = (table: 'visits' | 'touches', rows: string | undefined) => {
    const state = tables.find(({ name }) => name === table);
    return {
      table,
      rows: Number(rows ?? 0),
      parts: Number(state?.parts ?? 0),
      pending_mutations: Number(state?.pending_mutations ?? 0),
    };
  };
  return answer(200, {
    data: {
      newest_received_at: newest,
      // Clocks of two machines may differ a little; nothing is ahead of now.
      lag_seconds: newest === null ? null : Math.max(0, Math.floor((now.getTime() - Date.parse(newest)) / 1_000)),
      tables: [stateOf('visits', profile?.visits), stateOf('touches', profile?.touches)],
    },
  });
};
