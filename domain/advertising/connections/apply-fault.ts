import { announce } from '@tributary/domain/tenancy/events';
import type { Tx } from '@tributary/postgres';
import type { ProviderFault, Verdict } from '@tributary/providers';
import type { Channel, ConnectionStatus } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { lockConnection, updateConnection } from './store.ts';

/** The connection status after a failed call; undefined if it does not change. */
const statusAfter: Record<Verdict, ConnectionStatus | undefined> = {
  reconnect: 'reconnect_required',
  needs_action: 'needs_action',
  wait: undefined,
  refused: undefined,
};

export interface FaultSource {
  readonly profileId: string;
  readonly connectionId: string;
  /**
   * The revision of the credentials that failed. A connection whose credentials were replaced meanwhile keeps its
   * status.
   */
  readonly revision: number;
  readonly now: Date;
}

/** Sets the connection status that a provider's fault implies, and publishes an event if a reconnect is required. */
export async function applyFault(
  tx: Tx,
  { profileId, connectionId, revision, now }: FaultSource,
  fault: ProviderFault,
): Promise<void> {
  const status = statusAfter[fault.details.verdict];
  if (!status) return;
  const connection = await lockConnection(tx, profileId, connectionId);
  if (!connection || connection.status === 'disconnected' || connection.status === status) return;
  if (connection.credentials_revision !== revision) return;
  await updateConnection(tx, connection, { status });
  if (status === 'reconnect_required') {
    const data = { profile_id: profileId, connection_id: connectionId, provider: connection.channel as Channel };
    await announce(tx, [{ id: uuid(), type: 'connection.reconnect_required', data, occurredAt: now }]);
  }
}

/** A successful run shows that the required action at the provider was done. */
export async function markRecovered(tx: Tx, profileId: string, connectionId: string): Promise<void> {
  await tx
    .updateTable('connections')
    .set({ status: 'connected' })
    .where('profile_id', '=', profileId)
    .where('id', '=', connectionId)
    .where('status', '=', 'needs_action')
    .execute();
}
