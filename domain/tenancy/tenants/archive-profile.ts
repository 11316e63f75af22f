import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { switchScope, type Tx } from '@tributary/postgres';
import { refuseBeyondPlan } from './create-profile.ts';
import { toWorkspaceProfile } from './profile.ts';
import { reachWorkspace } from './reach.ts';
import { lockUndeletedProfile, lockWorkspace, type ProfileRow, saveProfile } from './store.ts';

/** Stops access, collection and syncs. Keeps all data. */
export const archiveProfile: Handles<Routes['archiveProfile']> = async ({ params }, context) => {
  const { workspaceId, profileId } = params;
  const { effect, addToAudit, now } = context;
  await reachWorkspace(context, workspaceId);
  return effect(async (tx) => {
    await switchScope(tx, { workspaceId });
    const profile = await lockForArchive(tx, workspaceId, profileId);
    addToAudit({ log: { workspaceId } });
    return respond(profile.archived_at ? profile : await saveProfile(tx, profileId, { archived_at: now }));
  });
};

export const restoreProfile: Handles<Routes['restoreProfile']> = async ({ params }, context) => {
  const { workspaceId, profileId } = params;
  const { effect, addToAudit } = context;
  await reachWorkspace(context, workspaceId);
  return effect(async (tx) => {
    await switchScope(tx, { workspaceId });
    const workspace = await lockWorkspace(tx, workspaceId);
    const profile = await lockForArchive(tx, workspaceId, profileId);
    addToAudit({ log: { workspaceId } });
    if (!workspace || !profile.archived_at) return respond(profile);
    await refuseBeyondPlan(tx, workspace);
    return respond(await saveProfile(tx, profileId, { archived_at: null }));
  });
};

const lockForArchive = async (tx: Tx, workspaceId: string, profileId: string): Promise<ProfileRow> =>
  (await lockUndeletedProfile(tx, workspaceId, profileId)) ?? refuse('not_found', 'There is no such profile.');

const respond = (profile: ProfileRow) =>
  answer(200, { data: toWorkspaceProfile(profile), meta: { workspace_id: profile.workspace_id } });
