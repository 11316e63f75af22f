import type { PrivacyMode, Routes } from '@tributary/contract';
import { audit } from '@tributary/domain/accountability';
import { answer, type Handles } from '@tributary/operations';
import { governedProfile } from './reach.ts';

export const updateEntitlement: Handles<Routes['updateEntitlement']> = async ({ params, body }, context) => {
  const { behind, caller, now, requestId } = context;
  const { profileId, workspaceId } = await governedProfile(context, params.profileId);
  return behind({ profileId }).transaction(async (tx) => {
    // Privacy first, in a statement of its own: at no moment is the profile both enabled and still in its old mode.
    if (body.privacy_mode) {
      await tx.updateTable('profiles').set({ privacy_mode: body.privacy_mode }).where('id', '=', profileId).execute();
    }
    const row = await tx
      .updateTable('profiles')
      .set({ is_attribution_enabled: body.enabled })
      .where('id', '=', profileId)
      .returning('privacy_mode')
      .executeTakeFirstOrThrow();
    await audit(tx, caller, requestId, now, {
      workspaceId,
      action: 'entitlement.updated',
      target: `profile:${profileId}`,
      detail: { enabled: body.enabled, privacy_mode: row.privacy_mode },
    });
    return answer(200, {
      data: { enabled: body.enabled, privacy_mode: row.privacy_mode as PrivacyMode },
      meta: { profile_id: profileId },
    });
  });
};
