import type { Routes } from '@tributary/contract';
import { findWorkspaceOf } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import { switchScope } from '@tributary/postgres';
import { findConsentOf, removeConsent } from './assistant-store.ts';

/** Deletes the consent, without which the tokens are invalid. The token rows are deleted with the session or when they expire. */
export const deleteAssistant: Handles<Routes['deleteAssistant']> = async (
  { params },
  { caller, servers, effect, addToAudit },
) => {
  const { home, shardOf } = servers;
  const [consent] = await home.unbound.transaction((tx) => findConsentOf(tx, params.id, caller.userId));
  if (!consent) return refuse('not_found', 'No assistant of yours has this id.');
  const profileId = consent.reference_id as string;
  const isAtHome = (await shardOf(profileId)) === home;
  return effect(async (tx) => {
    const remove = (homeTx: typeof tx) => removeConsent(homeTx, consent.id, caller.userId);
    const removed = await (isAtHome ? remove(tx) : home.unbound.transaction(remove));
    // Deleted concurrently. On another server, an earlier attempt of this transaction may have deleted it.
    if (!removed && isAtHome) return refuse('not_found', 'No assistant of yours has this id.');
    // Logged in the workspace whose data the assistant could read.
    await switchScope(tx, { profileId });
    const workspaceId = await findWorkspaceOf(tx, profileId);
    if (workspaceId) addToAudit({ log: { workspaceId } });
    return answer(200, { data: { id: consent.id, deleted: true } });
  }, profileId);
};
