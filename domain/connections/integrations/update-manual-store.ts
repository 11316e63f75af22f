import type { Routes } from '@tributary/contract';
import { announce } from '@tributary/domain/events';
import { answer, type Handles } from '@tributary/operations';
import { v7 as uuid } from 'uuid';
import type { ConnectionServices } from '../services.ts';
import { updateConnection, wishSync } from '../store.ts';
import { lockStore, readSecrets, sealSecrets, showStore } from './manual-stores.ts';

/** A store works as soon as it is known what it signs its webhooks with. */
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
    if (body.access_token) await wishSync(tx, row, now);
    if (row.status !== 'connected') {
      const news = { profile_id: profileId, connection_id: id, provider: 'store' } as const;
      await announce(tx, [{ id: uuid(), type: 'connection.connected', data: news, occurredAt: now }]);
    }
    return answer(200, { data: showStore({ ...row, status: 'connected' }, secrets) });
  });
