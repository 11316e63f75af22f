import type { Channel, ConnectionStatus, SyncState } from '@tributary/vocabulary';
import type { ConnectionWithSync, SyncRow } from './store.ts';

export const toConnectionResponse = ({ connection, sync }: ConnectionWithSync) => ({
  id: connection.id,
  channel: connection.channel as Channel,
  status: connection.status as ConnectionStatus,
  account: { external_id: connection.external_id, name: connection.name },
  granted: connection.granted,
  connected_at: connection.connected_at.toISOString(),
  sync: toSyncState(sync),
});

/** All fields are empty for a connection that is not synced. */
export const toSyncState = (sync: SyncRow | undefined) => ({
  state: (sync?.state ?? 'idle') as SyncState,
  last_success_at: sync?.last_success_at?.toISOString() ?? null,
  last_run_at: sync?.last_run_at?.toISOString() ?? null,
  last_error: sync?.last_error ?? null,
  next_run_at: nextRun(sync),
  progress: sync?.progress ?? null,
});

/** The driver returns PostgreSQL's `infinity` as a number. */
const nextRun = (sync: SyncRow | undefined): string | null =>
  sync?.due_at instanceof Date && Number.isFinite(sync.due_at.getTime()) ? sync.due_at.toISOString() : null;
