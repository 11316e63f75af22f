import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { v7 as uuid } from 'uuid';
import type { ConnectionServices } from '../services.ts';
import { findConnection, insertConnection, lockAccount, requestSync, updateConnection } from '../store.ts';
import { readSecrets, sealSecrets, toStoreResponse } from './manual-stores.ts';

export const createManualStore: Handles<Routes['createManualStore'], ConnectionServices> = ({ body }, context) =>
  context.effect(async (tx) => {
    const { caller, vault, now } = context;
    const { profileId, workspaceId, appId } = caller;
    const { shop_domain: shop, access_token: token } = body;
    const existing = await lockAccount(tx, profileId, 'store', shop);
    if (existing) {
      const before = readSecrets(vault, existing);
      const secrets = { ...before, accessToken: token ?? before.accessToken };
      const credentials = sealSecrets(vault, profileId, existing.id, secrets);
      const credentials_revision = existing.credentials_revision + 1;
      // A new token after a refused one restores the store's previous status.
      const isRestored = token !== undefined && existing.status === 'reconnect_required';
      const status = isRestored ? (before.webhookSecret ? 'connected' : 'pending') : existing.status;
      const name = body.name ?? existing.name;
      await updateConnection(tx, existing, { name, status, credentials, credentials_revision });
      if (token) await requestSync(tx, existing, now);
      return answer(200, { data: toStoreResponse({ ...existing, name, status }, secrets) });
    }
    const id = uuid();
    const secrets = { webhookSecret: null, accessToken: token ?? null };
    const inserted = await insertConnection(tx, {
      profile_id: profileId,
      id,
      workspace_id: workspaceId,
      app_id: appId ?? null,
      channel: 'store',
      status: 'pending',
      external_id: shop,
      name: body.name ?? shop,
      credentials: sealSecrets(vault, profileId, id, secrets),
      connected_at: now,
    });
    if (!inserted) {
      return refuse('account_connected_elsewhere', 'A sister profile of the workspace is connected to this store.');
    }
    // With a token, existing orders can be read.
    if (token) await requestSync(tx, { profile_id: profileId, id, channel: 'store' }, now);
    const row = await findConnection(tx, profileId, id);
    return answer(201, { data: toStoreResponse(row ?? refuse('not_found', 'There is no such connection.'), secrets) });
  });
