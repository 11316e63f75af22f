import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { findAllMemberships } from './memberships.ts';
import { findUser } from './store.ts';

export const readAccount: Handles<Routes['readAccount']> = async (_input, { caller, servers }) => {
  const userId = caller.userId;
  const user = await servers.home.unbound.transaction((tx) => findUser(tx, userId), { readOnly: true });
  const memberships = await findAllMemberships(servers.allShards, userId);
  return answer(200, {
    data: {
      id: user.id,
      name: user.name,
      email: user.email,
      is_two_factor_enabled: user.two_factor_enabled,
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
};
