import type { Routes } from '@tributary/contract';
import { revokeApp } from '@tributary/domain/tenancy/credentials';
import { answer, type Handles, refuse } from '@tributary/operations';
import { noSuchConnection } from './read-connection.ts';
import { findConnection } from './store.ts';

/** Revokes the calling app's access to the profile. The connection is unchanged, and no event is published. */
export const deleteConnection: Handles<Routes['deleteConnection']> = async ({ params: { id } }, context) => {
  const { caller, effect, now, addToAudit } = context;
  const { profileId, appId } = caller;
  if (!appId) return refuse('forbidden', 'This route is for the key of an app: this key is the workspace’s own.');
  return effect(async (tx) => {
    if (!(await findConnection(tx, profileId, id))) return noSuchConnection();
    const revoked = await revokeApp(tx, profileId, appId, now);
    addToAudit({ detail: { app_id: appId, revoked_keys: revoked } });
    return answer(200, { data: { id, revoked_keys: revoked } });
  });
};
