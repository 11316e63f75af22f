import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { Channel } from '@tributary/vocabulary';
import { toSyncResponse } from './progress-response.ts';
import { noSuchConnection } from './read-connection.ts';
import type { ConnectionServices } from './services.ts';
import { type ConnectionRow, findConnection, listActive, requestSync, withSyncs } from './store.ts';
import { refuseUnusable, withReconnectLink } from './with-account.ts';

export const startSync: Handles<Routes['startSync'], ConnectionServices & { readonly baseUrl: string }> = async (
  { body },
  context,
) => {
  const { caller, effect, now, providers } = context;
  const { profileId } = caller;
  const isSynced = ({ channel }: ConnectionRow) => providers.of(channel as Channel)?.sync !== undefined;
  let blocked: ConnectionRow | undefined;
  const started = effect(async (tx) => {
    const { connection_id: id, provider } = body;
    const named = id === undefined ? undefined : await findConnection(tx, profileId, id);
    if (id !== undefined && (!named || (provider && named.channel !== provider))) return noSuchConnection();
    const found = named ? [named] : await listActive(tx, profileId, provider);
    if (found.length === 0 && provider) return noSuchConnection();
    const usable = found.filter(({ status }) => status === 'connected' || status === 'needs_action').filter(isSynced);
    if (found.length > 0 && usable.length === 0) {
      blocked = found.find(({ status }) => status === 'reconnect_required');
      return refuseUnusable(context, getRefusalReason(found));
    }
    for (const connection of usable) await requestSync(tx, connection, now);
    return answer(202, { data: (await withSyncs(tx, profileId, usable)).map(toSyncResponse) });
  });
  // The refusal rolls back its transaction, so the link is stored in another named.
  return started.catch(async (error: unknown) => {
    throw blocked ? await withReconnectLink(context, blocked.id, error) : error;
  });
};

function getRefusalReason(found: readonly ConnectionRow[]) {
  if (found.some(({ status }) => status === 'reconnect_required')) return 'reconnect_required';
  return found.some(({ status }) => status === 'disconnected') ? 'disconnected' : 'provider_not_configured';
}
