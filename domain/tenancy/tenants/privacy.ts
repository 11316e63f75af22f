import { type PrivacyMode, type Routes, routes } from '@tributary/contract';
import { answer, type Handles, type Operator, refuse } from '@tributary/operations';
import { switchScope, type Tx } from '@tributary/postgres';
import { isLoosened } from '@tributary/rules';
import { findPrivacyMode } from './profile-facts.ts';
import type { StepUp } from './step-up.ts';
import { lockPrivacyMode, setPrivacyMode } from './store.ts';

/**
 * A partner app can make a profile more private, never less. A database trigger removes the scopes that show personal data from its grants,
 * so that no writer can omit this.
 */
export async function tightenPrivacy(tx: Tx, profileId: string, mode: PrivacyMode): Promise<void> {
  const { privacy_mode: before } = (await lockPrivacyMode(tx, profileId)) ?? noProfile();
  if (isLoosened(before as PrivacyMode, mode)) {
    refuse('forbidden', `The profile is "${before}". Only an owner of its workspace makes it less private.`, {
      fields: { reason: 'privacy_loosened' },
    });
  }
  await setPrivacyMode(tx, profileId, mode);
}

/** Owners and admins can make the profile more private; only an owner can make it less private. */
export const updatePrivacy: Handles<Routes['updatePrivacy'], StepUp> = async ({ body }, context) => {
  const { caller, ledger, effect, addToAudit } = context;
  const { profileId } = caller;
  const mode = body.privacy_mode;
  const present = await ledger.transaction((tx) => findPrivacyMode(tx, profileId), { readOnly: true });
  const isLess = isLoosened(present as PrivacyMode, mode);
  if (isLess) {
    if (caller.role !== 'owner')
      refuse('forbidden', 'Only an owner of the workspace makes a profile less private.', {
        fields: { reason: 'role' },
      });
    await context.assertPassword(body.current_password, 'updatePrivacy', context);
  }
  return effect(async (tx) => {
    const { before } = await setPrivacy(tx, profileId, mode);
    // Another member made the profile more private since the first read, so this change would loosen it without a password.
    if (!isLess && isLoosened(before as PrivacyMode, mode))
      refuse('invalid_state', 'The privacy mode was changed meanwhile. Read it again.');
    addToAudit({ detail: { before, privacy_mode: mode } });
    return answer(200, { data: { privacy_mode: mode } });
  });
};

export async function setPrivacyByOperator(operator: Operator, profileId: string, mode: PrivacyMode): Promise<void> {
  const act = {
    id: routes.updatePrivacy.id,
    audit: { ...routes.updatePrivacy.audit, of: 'profile:{params.id}' },
  } as const;
  await operator.effect(act, { profileId, params: { id: profileId } }, async (tx, addToAudit) => {
    const { before, workspaceId } = await setPrivacy(tx, profileId, mode);
    addToAudit({ log: { workspaceId }, detail: { before, privacy_mode: mode } });
    return answer(200, { data: { privacy_mode: mode } });
  });
}

async function setPrivacy(tx: Tx, profileId: string, mode: PrivacyMode) {
  await switchScope(tx, { profileId });
  const profile = (await lockPrivacyMode(tx, profileId)) ?? noProfile();
  await setPrivacyMode(tx, profileId, mode);
  return { before: profile.privacy_mode, workspaceId: profile.workspace_id };
}

const noProfile = () => refuse('not_found', 'There is no such profile.');
