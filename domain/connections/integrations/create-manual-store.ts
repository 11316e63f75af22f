import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { v7 as uuid } from 'uuid';
import type { ConnectionServices } from '../services.ts';
import { findConnection, insertConnection, lockAccount, updateConnection, wishSync } from '../store.ts';
import { readSecrets, sealSecrets, showStore } from './manual-stores.ts';

export const createManualStore: Handles<Routes['createManualStore'], ConnectionServices> = ({ body }, context) =>
  context.effect(async (tx) => {
    const { caller, vault, now } = context;
    const { profileId, workspaceId, appId } = caller;
    const { shop_domain: shop, access_token: given } = body;
    const known = await lockAccount(tx, profileId, 'store', shop);
    if (known) {
      const before = readSecrets(vault, known);
      const secrets = { ...before, accessToken: given ?? before.accessToken };
      const credentials = sealSecrets(vault, profileId, known.id, secrets);
      const credentials_revision = known.credentials_revision + 1;
      // A token that was refused is replaced: the store is what it was before.
      const isMended = given !== undefined && known.status === 'reconnect_required';
      const status = isMended ? (before.webhookSecret ? 'connected' : 'pending') : known.status;
      const name = body.name ?? known.name;
      await updateConnection(tx, known, { name, status, credentials, credentials_revision });
      if (given) await wishSync(tx, known, now);
      return answer(200, { data: showStore({ ...known, name, status }, secrets) });
    }
    const id = uuid();
    const secrets = { webhookSecret: null, accessToken: given ?? null };
    const made = await insertConnection(tx, {
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
    if (!made) {
      return refuse('account_connected_elsewhere', 'A sister profile of the workspace is connected to this store.');
    }
    // With a token the orders that there are can be read.
    if (given) await wishSync(tx, { profile_id: profileId, id, channel: 'store' }, now);
    const row = await findConnection(tx, profileId, id);
    return answer(201, { data: showStore(row ?? refuse('not_found', 'There is no such connection.'), secrets) });
  });
