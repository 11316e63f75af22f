import type { Routes } from '@tributary/contract';
import { revokeApp } from '@tributary/domain/credentials';
import { answer, type Handles, refuse } from '@tributary/operations';
import { noSuchConnection } from './read-connection.ts';
import { findConnection } from './store.ts';

/** Ends what the calling app may do on the profile. The connection stays as it is, and nobody is told of it. */
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
