import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { findMemberships } from './memberships.ts';
import { findUser } from './store.ts';

export const readAccount: Handles<Routes['readAccount']> = async (_input, { caller, ledger }) => {
  const userId = caller.userId;
  return ledger.transaction(async (tx) => {
    const { id, name, email, two_factor_enabled } = await findUser(tx, userId);
    const memberships = await findMemberships(tx, userId);
    return answer(200, {
      data: {
        id,
        name,
        email,
        is_two_factor_enabled: two_factor_enabled,
        memberships: memberships.map(({ workspaceId, workspaceName, role, profiles }) => ({
          workspace_id: workspaceId,
          workspace_name: workspaceName,
          role,
          profiles: profiles.map((profile) => ({
            id: profile.id,
            name: profile.name,
            is_healthcare_family: profile.isHealthcare,
          })),
        })),
      },
    });
  });
};
