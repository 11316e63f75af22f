import type { Routes } from '@tributary/contract';
import { findWorkspaceOf } from '@tributary/domain/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import { enter } from '@tributary/postgres';
import { removeConsent } from './assistant-store.ts';

/** Without the consent its tokens are worth nothing; they go with the session, or when they run out. */
export const deleteAssistant: Handles<Routes['deleteAssistant']> = async ({ params }, { caller, effect, addToAudit }) =>
  effect(async (tx) => {
    const consent = await removeConsent(tx, params.id, caller.userId);
    if (!consent) return refuse('not_found', 'No assistant of yours has this id.');
    // The workspace whose data it could read keeps the entry.
    const profileId = consent.reference_id as string;
    await enter(tx, { profileId });
    const workspaceId = await findWorkspaceOf(tx, profileId);
    if (workspaceId) addToAudit({ log: { workspaceId } });
    return answer(200, { data: { id: consent.id, deleted: true } });
  });
