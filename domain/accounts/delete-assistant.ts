import type { Routes } from '@tributary/contract';
import { findWorkspaceOf } from '@tributary/domain/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import { enter } from '@tributary/postgres';
import { findConsentOf, removeConsent } from './assistant-store.ts';

/** Without the consent its tokens are worth nothing; they go with the session, or when they run out. */
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
    const remove = (there: typeof tx) => removeConsent(there, consent.id, caller.userId);
    const removed = await (isAtHome ? remove(tx) : home.unbound.transaction(remove));
    // Gone meanwhile; on another server it may have gone in an earlier try of this transaction.
    if (!removed && isAtHome) return refuse('not_found', 'No assistant of yours has this id.');
    // The workspace whose data it could read keeps the entry.
    await enter(tx, { profileId });
    const workspaceId = await findWorkspaceOf(tx, profileId);
    if (workspaceId) addToAudit({ log: { workspaceId } });
    return answer(200, { data: { id: consent.id, deleted: true } });
  }, profileId);
};
