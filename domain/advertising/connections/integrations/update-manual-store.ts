import type { Routes } from '@tributary/contract';
import { announce } from '@tributary/domain/tenancy/events';
import { answer, type Handles } from '@tributary/operations';
import { v7 as uuid } from 'uuid';
import type { ConnectionServices } from '../services.ts';
import { requestSync, updateConnection } from '../store.ts';
import { lockStore, readSecrets, sealSecrets, toStoreResponse } from './manual-stores.ts';

/** Stores the webhook signing secret, with which the store becomes connected. */
export const updateManualStore: Handles<Routes['updateManualStore'], ConnectionServices> = (
  { params: { connectionId: id }, body },
  context,
) =>
  context.effect(async (tx) => {
    const { caller, vault, now } = context;
    const { profileId } = caller;
    const row = await lockStore(tx, profileId, id);
    const before = readSecrets(vault, row);
    const secrets = {
      webhookSecret: body.webhook_signing_id,
      accessToken: body.access_token ?? before.accessToken,
    };
    const credentials = sealSecrets(vault, profileId, id, secrets);
    const credentials_revision = row.credentials_revision + 1;
    await updateConnection(tx, row, { status: 'connected', credentials, credentials_revision });
    if (body.access_token) await requestSync(tx, row, now);
    if (row.status !== 'connected') {
      const eventData = { profile_id: profileId, connection_id: id, provider: 'store' } as const;
      await announce(tx, [{ id: uuid(), type: 'connection.connected', data: eventData, occurredAt: now }]);
    }
    return answer(200, { data: toStoreResponse({ ...row, status: 'connected' }, secrets) });
  });
