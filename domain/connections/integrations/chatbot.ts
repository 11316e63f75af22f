import type { ConnectionStatus } from '@tributary/vocabulary';
import type { ConnectionRow } from '../store.ts';

export const showChatbot = (row: ConnectionRow) => ({
  id: row.id,
  status: row.status as ConnectionStatus,
  page: { external_id: row.external_id, name: row.name },
  connected_at: row.connected_at.toISOString(),
});
