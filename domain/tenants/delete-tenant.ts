import type { Routes } from '@tributary/contract';
import { audit } from '@tributary/domain/accountability';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Jobs } from '@tributary/work';
import { reachWorkspace } from './reach.ts';

/** Out of reach at once: no credential of it works from this commit on. The rows go in the background. */
export const deleteProfile: Handles<Routes['deleteProfile'], { jobs: Jobs }> = async ({ params }, context) => {
  const { caller, now, requestId, jobs } = context;
  const { workspaceId, profileId } = params;
  const ledger = await reachWorkspace(context, workspaceId);
  return ledger.transaction(async (tx) => {
    const archived = await tx
      .updateTable('profiles')
      .set({ archived_at: now })
      .where('id', '=', profileId)
      .where('workspace_id', '=', workspaceId)
      .where('archived_at', 'is', null)
      .returning('id')
      .executeTakeFirst();
    if (!archived) return refuse('not_found', 'There is no such profile.');
    await jobs.enqueue(tx, 'deleteTenant', { workspaceId, profileId });
    await audit(tx, caller, requestId, now, { workspaceId, action: 'profile.deleted', target: `profile:${profileId}` });
    return answer(200, { data: { id: profileId, deleted: true as const }, meta: { workspace_id: workspaceId } });
  });
};

export const deleteWorkspace: Handles<Routes['deleteWorkspace'], { jobs: Jobs }> = async ({ params }, context) => {
  const { now, jobs } = context;
  const { workspaceId } = params;
  const ledger = await reachWorkspace(context, workspaceId);
  return ledger.transaction(async (tx) => {
    await tx.updateTable('workspaces').set({ archived_at: now }).where('id', '=', workspaceId).execute();
    await tx.updateTable('profiles').set({ archived_at: now }).where('workspace_id', '=', workspaceId).execute();
    await jobs.enqueue(tx, 'deleteTenant', { workspaceId });
    return answer(200, { data: { id: workspaceId, deleted: true as const }, meta: { workspace_id: workspaceId } });
  });
};
