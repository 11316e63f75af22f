import type { Channel, ConnectionStatus } from '@tributary/vocabulary';
import { toSyncState } from './connection-response.ts';
import type { ConnectionWithSync } from './store.ts';

interface Rejected {
  external_id: string;
  reason: string;
}

export const toSyncResponse = ({ connection, sync }: ConnectionWithSync) => ({
  connection_id: connection.id,
  provider: connection.channel as Channel,
  status: connection.status as ConnectionStatus,
  sync: toSyncState(sync),
  rejected: { count: sync?.rejected_count ?? 0, last: (sync?.rejected ?? []) as unknown as Rejected[] },
});
