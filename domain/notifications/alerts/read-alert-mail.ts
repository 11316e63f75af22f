import type { Routes } from '@tributary/contract';
import { listRoles } from '@tributary/domain/tenancy/accounts';
import { answer, type Handles } from '@tributary/operations';
import { alertedRoles, nilUuid } from '@tributary/vocabulary';
import { listPreferences } from './store.ts';

export interface AlertServices {
  /** Whether the operator configured a mail server. */
  readonly isMailSetUp: boolean;
}

export const readAlertMail: Handles<Routes['readAlertMail'], AlertServices> = async (
  _input,
  { caller, behind, isMailSetUp },
) => {
  const { profileId, workspaceId, userId = nilUuid } = caller;
  const { preference, isAlerted } = await behind({ profileId, workspaceId }).transaction(
    async (tx) => ({
      preference: (await listPreferences(tx, profileId, userId))[0],
      isAlerted: (await listRoles(tx, workspaceId)).some(
        (member) => member.userId === userId && alertedRoles.includes(member.role),
      ),
    }),
    { readOnly: true },
  );
  return answer(200, {
    data: { is_wanted: preference?.isWanted ?? isAlerted, language: preference?.language ?? 'en' },
    meta: { is_set_up: isMailSetUp },
  });
};
