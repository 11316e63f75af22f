import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { limits } from '@tributary/vocabulary';
import { listCreated } from './created-by-member.ts';
import { refuseUnlessManager } from './member.ts';
import { findMember } from './store.ts';

export const listCreatedByMember: Handles<Routes['listCreatedByMember']> = async (
  { params },
  { caller, ledger, servers, now },
) => {
  if (params.userId !== caller.userId) refuseUnlessManager(caller);
  const created = await ledger.transaction(async (tx) => {
    if (!(await findMember(tx, params.workspaceId, params.userId))) refuse('not_found', 'There is no such member.');
    return listCreated(tx, params, servers, now);
  });
  return answer(200, {
    data: created.slice(0, limits.members.created).map(({ kind, id, name, profileId, profileName, createdAt }) => ({
      kind,
      id,
      name,
      profile_id: profileId,
      profile_name: profileName,
      created_at: createdAt.toISOString(),
    })),
    meta: { has_more: created.length > limits.members.created },
  });
};
