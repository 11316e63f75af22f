import { announce } from '@tributary/domain/events';
import type { Tx } from '@tributary/postgres';
import type { ProviderFault, Verdict } from '@tributary/providers';
import type { Channel, ConnectionStatus } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { lockConnection, updateConnection } from './store.ts';

/** What a failed call makes of the connection; undefined: nothing. */
const statusAfter: Record<Verdict, ConnectionStatus | undefined> = {
  reconnect: 'reconnect_required',
  needs_action: 'needs_action',
  wait: undefined,
  refused: undefined,
};

export interface Faulty {
  readonly profileId: string;
  readonly connectionId: string;
  /** Of the credentials that failed: a connection that got others meanwhile is as it was. */
  readonly revision: number;
  readonly now: Date;
}

/** Brings the connection into the state that a provider's fault means, and says so when it went silent. */
export async function noteFault(
  tx: Tx,
  { profileId, connectionId, revision, now }: Faulty,
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

/** A run that succeeded shows that somebody did at the provider what was asked for. */
export async function noteRecovered(tx: Tx, profileId: string, connectionId: string): Promise<void> {
  await tx
    .updateTable('connections')
    .set({ status: 'connected' })
    .where('profile_id', '=', profileId)
    .where('id', '=', connectionId)
    .where('status', '=', 'needs_action')
    .execute();
}
