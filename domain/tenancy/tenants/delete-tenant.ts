import { type Routes, routes } from '@tributary/contract';
import { answer, type Handles, type Operator, refuse } from '@tributary/operations';
import { switchScope, type Tx } from '@tributary/postgres';
import { dayMs, limits } from '@tributary/vocabulary';
import { insertDeletion, insertDeletions, scheduleDeletion } from './deletion-store.ts';
import { findGoverningApp, findWorkspaceOf, isTestProfile } from './profile-facts.ts';
import { reachWorkspace } from './reach.ts';
import type { StepUp } from './step-up.ts';
import { archiveProfile, archiveWorkspace, lockUndeletedProfile } from './store.ts';

/** Archives the profile, so that its credentials stop working with this commit. The queue removes the rows in the background. */
export const deleteProfile: Handles<Routes['deleteProfile'], StepUp> = async ({ params, body }, context) => {
  const { caller, effect, now, addToAudit } = context;
  const { workspaceId, profileId } = params;
  await reachWorkspace(context, workspaceId);
  if (caller.kind !== 'app') await context.assertPassword(body.current_password, 'deleteProfile', context);
  return effect(async (tx) => {
    await switchScope(tx, { workspaceId });
    if (caller.kind === 'app') await refuseUnlessOwnTest(tx, profileId, caller.appId);
    // Finds archived profiles too: they can be deleted.
    if (!(await lockUndeletedProfile(tx, workspaceId, profileId)))
      return refuse('not_found', 'There is no such profile.');
    await archiveProfile(tx, profileId, now);
    await insertDeletion(tx, profileId, workspaceId, now);
    addToAudit({ log: { workspaceId } });
    return toDeletedProfile(profileId, workspaceId);
  });
};

/** An app may delete only its own test profiles. Merchant data is deleted by the owner of the workspace. */
async function refuseUnlessOwnTest(tx: Tx, profileId: string, appId: string | undefined): Promise<void> {
  const governing = await findGoverningApp(tx, profileId);
  if (!governing || governing !== appId) refuse('not_found', 'There is no such profile.');
  if (!(await isTestProfile(tx, profileId)))
    refuse('forbidden', 'An app deletes test profiles only. The owner of the workspace deletes others.');
}

/** Archives the workspace at once. Owners may restore it for some days, unless `delete_now` is set. */
export const deleteWorkspace: Handles<Routes['deleteWorkspace'], StepUp> = async ({ params, body }, context) => {
  const { effect, now, addToAudit } = context;
  const { workspaceId } = params;
  await reachWorkspace(context, workspaceId);
  await context.assertPassword(body.current_password, 'deleteWorkspace', context);
  const until = body.delete_now ? null : new Date(now.getTime() + limits.deletedWorkspaces.restorableDays * dayMs);
  return effect(async (tx) => {
    await switchScope(tx, { workspaceId });
    await archiveWorkspace(tx, workspaceId, now);
    if (until) await scheduleDeletion(tx, workspaceId, until, now);
    else await insertDeletions(tx, workspaceId, now);
    // Uses the installation log: the workspace's own log is deleted with the workspace.
    addToAudit({ log: 'installation', detail: { delete_now: body.delete_now } });
    return toDeletedWorkspace(workspaceId, until);
  });
};

/** Resolves to the workspace id. A command that has to wait for the removal of the rows calls `untilEmptied` afterwards. */
export async function archiveProfileByOperator(operator: Operator, profileId: string): Promise<string> {
  const target = { profileId, params: { profileId } };
  const { body } = await operator.effect(routes.deleteProfile, target, async (tx, addToAudit) => {
    // Accepts archived profiles: an interrupted earlier run may have left rows.
    await archiveProfile(tx, profileId, operator.now);
    const workspaceId = await findWorkspaceOf(tx, profileId);
    if (!workspaceId) return refuse('not_found', 'There is no such profile.');
    await switchScope(tx, { profileId, workspaceId });
    await insertDeletion(tx, profileId, workspaceId, operator.now);
    addToAudit({ log: { workspaceId } });
    return toDeletedProfile(profileId, workspaceId);
  });
  return body.meta.workspace_id;
}

export async function archiveWorkspaceByOperator(operator: Operator, workspaceId: string): Promise<void> {
  const target = { workspaceId, params: { workspaceId } };
  await operator.effect(routes.deleteWorkspace, target, async (tx, addToAudit) => {
    if (!(await archiveWorkspace(tx, workspaceId, operator.now)))
      return refuse('not_found', 'There is no such workspace.');
    await insertDeletions(tx, workspaceId, operator.now);
    addToAudit({ log: 'installation' });
    return toDeletedWorkspace(workspaceId, null);
  });
}

const toDeletedProfile = (id: string, workspaceId: string) =>
  answer(200, { data: { id, deleted: true as const }, meta: { workspace_id: workspaceId } });

const toDeletedWorkspace = (id: string, until: Date | null) =>
  answer(200, {
    data: { id, deleted: true as const, restorable_until: until?.toISOString() ?? null },
    meta: { workspace_id: id },
  });
