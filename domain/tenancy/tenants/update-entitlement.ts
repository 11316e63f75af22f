import type { PrivacyMode, Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { switchScope } from '@tributary/postgres';
import { tightenPrivacy } from './privacy.ts';
import { governedProfile } from './reach.ts';
import { setEnabled } from './store.ts';

export const updateEntitlement: Handles<Routes['updateEntitlement']> = async ({ params, body }, context) => {
  const { effect, addToAudit } = context;
  const { profileId, workspaceId } = await governedProfile(context, params.profileId);
  return effect(async (tx) => {
    await switchScope(tx, { profileId });
    // Privacy first, in a separate statement: the profile must never be enabled while still in its old mode.
    if (body.privacy_mode) await tightenPrivacy(tx, profileId, body.privacy_mode);
    const { privacy_mode } = await setEnabled(tx, profileId, body.enabled);
    addToAudit({ log: { workspaceId }, detail: { enabled: body.enabled, privacy_mode } });
    return answer(200, {
      data: { enabled: body.enabled, privacy_mode: privacy_mode as PrivacyMode },
      meta: { profile_id: profileId },
    });
  });
};
