import { announce } from '@tributary/domain/tenancy/events';
import type { Tx } from '@tributary/postgres';
import type { Channel } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { type ConnectionRow, updateConnection } from '../store.ts';

/** Disconnects an account without calling its provider. The row stays, because records refer to it. */
export async function removeConnection(tx: Tx, row: ConnectionRow, now: Date): Promise<void> {
  await updateConnection(tx, row, { status: 'disconnected', credentials: null, disconnected_at: now });
  const data = { profile_id: row.profile_id, connection_id: row.id, provider: row.channel as Channel };
  await announce(tx, [{ id: uuid(), type: 'connection.revoked', data, occurredAt: now }]);
}
