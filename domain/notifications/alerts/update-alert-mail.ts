import type { Routes } from '@tributary/contract';
import { isAppProvisioned } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import { savePreference } from './store.ts';

export const updateAlertMail: Handles<Routes['updateAlertMail']> = async ({ body }, { caller, effect, behind }) => {
  const { profileId, workspaceId, userId } = caller;
  if (!userId) refuse('forbidden', 'Only somebody who is signed in gets alerts.');
  if (body.is_wanted && (await behind({ workspaceId }).transaction((tx) => isAppProvisioned(tx, workspaceId))))
    refuse('app_provisioned_workspace', 'An app provisioned this workspace: Tributary sends no e-mail to its members.');
  return effect(async (tx) => {
    await savePreference(tx, profileId, { userId, isWanted: body.is_wanted, language: body.language });
    return answer(200, { data: body });
  });
};
