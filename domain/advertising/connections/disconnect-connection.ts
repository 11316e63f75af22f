import type { Routes } from '@tributary/contract';
import { announce } from '@tributary/domain/tenancy/events';
import { answer, type Handles } from '@tributary/operations';
import { openCall, ProviderFault } from '@tributary/providers';
import type { Channel } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { toConnectionResponse } from './connection-response.ts';
import { ConnectionUnusable, openAccount } from './open-account.ts';
import { noSuchConnection } from './read-connection.ts';
import type { ConnectionServices, ProfileServices } from './services.ts';
import { findConnection, lockConnection, stopSync, updateConnection, withSyncs } from './store.ts';

/** An unresponsive provider must not prevent a disconnect. */
const timeoutMs = 10_000;

export const disconnectConnection: Handles<Routes['disconnectConnection'], ConnectionServices> = async (
  { params: { id } },
  context,
) => {
  const { caller, effect, now } = context;
  const { profileId } = caller;
  const isRevoked = await revokeConsent(context, profileId, id, now);
  return effect(async (tx) => {
    const connection = await lockConnection(tx, profileId, id);
    if (!connection) return noSuchConnection();
    if (connection.status !== 'disconnected') {
      await updateConnection(tx, connection, { status: 'disconnected', credentials: null, disconnected_at: now });
      await stopSync(tx, profileId, id);
      const payload = { profile_id: profileId, connection_id: id, provider: connection.channel as Channel };
      await announce(tx, [{ id: uuid(), type: 'connection.revoked', data: payload, occurredAt: now }]);
    }
    const after = (await findConnection(tx, profileId, id)) ?? connection;
    const [response] = (await withSyncs(tx, profileId, [after])).map(toConnectionResponse);
    return answer(200, { data: { ...(response ?? noSuchConnection()), withdrawn_at_provider: isRevoked } });
  });
};

async function revokeConsent(services: ProfileServices, profileId: string, id: string, now: Date): Promise<boolean> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const { provider, account } = await openAccount(services, profileId, id, now, signal);
    if (!provider.connect?.revoke) return false;
    await provider.connect.revoke(account, openCall(services.providerOutbound, now, signal));
    return true;
  } catch (error) {
    if (error instanceof ConnectionUnusable || error instanceof ProviderFault || signal.aborted) return false;
    throw error;
  }
}
