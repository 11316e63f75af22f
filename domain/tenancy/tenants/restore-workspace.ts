import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { switchScope } from '@tributary/postgres';
import { cancelDeletion, findDeletedWorkspaces } from './deletion-store.ts';
import { unarchiveWorkspace } from './store.ts';

export const listDeletedWorkspaces: Handles<Routes['listDeletedWorkspaces']> = async (
  _input,
  { caller, servers, now },
) => {
  const found = await findDeletedWorkspaces(servers.allShards, caller.userId, now);
  return answer(200, {
    data: found.map(({ id, name, deletedAt, restorableUntil }) => ({
      id,
      name,
      deleted_at: deletedAt.toISOString(),
      restorable_until: restorableUntil.toISOString(),
    })),
  });
};

/** Unarchives the workspace. Deletion has not started, so no data has to be restored. */
export const restoreWorkspace: Handles<Routes['restoreWorkspace']> = async (
  { params: { id } },
  { caller, servers, effect, addToAudit, now },
) => {
  const found = await findDeletedWorkspaces(servers.allShards, caller.userId, now);
  if (!found.some((workspace) => workspace.id === id)) return refuse('not_found', 'There is no such workspace.');
  return effect(async (tx) => {
    await switchScope(tx, { workspaceId: id });
    if (!(await cancelDeletion(tx, id, now))) refuse('not_found', 'There is no such workspace.');
    const name = await unarchiveWorkspace(tx, id);
    addToAudit({ log: { workspaceId: id } });
    return answer(200, { data: { id, name } });
  }, id);
};
