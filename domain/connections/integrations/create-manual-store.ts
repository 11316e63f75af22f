import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { v7 as uuid } from 'uuid';
import type { ConnectionServices } from '../services.ts';
import { findConnection, insertConnection, lockAccount, updateConnection } from '../store.ts';
import { readSecrets, sealSecrets, showStore } from './manual-stores.ts';

export const createManualStore: Handles<Routes['createManualStore'], ConnectionServices> = ({ body }, context) =>
  context.effect(async (tx) => {
    const { caller, vault, now } = context;
    const { profileId, workspaceId, appId } = caller;
    const { shop_domain: shop, name = shop, access_token: given } = body;
    const known = await lockAccount(tx, profileId, 'store', shop);
    if (known) {
      const before = readSecrets(vault, known);
      const secrets = { ...before, accessToken: given ?? before.accessToken };
      const credentials = sealSecrets(vault, profileId, known.id, secrets);
      const credentials_revision = known.credentials_revision + 1;
      await updateConnection(tx, known, { name: body.name ?? known.name, credentials, credentials_revision });
      return answer(200, { data: showStore({ ...known, name: body.name ?? known.name }, secrets) });
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
      name,
      credentials: sealSecrets(vault, profileId, id, secrets),
      connected_at: now,
    });
    if (!made) {
      return refuse('account_connected_elsewhere', 'A sister profile of the workspace is connected to this store.');
    }
    const row = await findConnection(tx, profileId, id);
    return answer(201, { data: showStore(row ?? refuse('not_found', 'There is no such connection.'), secrets) });
  });
