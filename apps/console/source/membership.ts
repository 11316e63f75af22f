import { useQuery } from '@tanstack/react-query';
import type { Role, Scope } from '@tributary/contract';
import { usePlace } from './place.ts';
import { accountQuery } from './queries.ts';
import { adminRoles, rolesThatWrite, rolesWithPeople, scopesOf } from './vocabulary.ts';

export interface Membership {
  readonly role: Role | undefined;
  readonly workspaceId: string | undefined;
  readonly seesPeople: boolean;
  /** Owner or admin. */
  readonly isAdmin: boolean;
  readonly mayWrite: boolean;
  readonly isHealthcare: boolean;
  /** Whether the role may do what the scope stands for. */
  readonly may: (scope: Scope) => boolean;
}

/** What whoever is signed in may do in the profile of the address. The API decides; this only spares them screens that it would refuse. */
export function useMembership(): Membership {
  const { place } = usePlace();
  const { data: account } = useQuery(accountQuery);
  const membership = account?.memberships.find(({ profiles }) => profiles.some(({ id }) => id === place.profileId));
  const profile = membership?.profiles.find(({ id }) => id === place.profileId);
  const role = membership?.role;
  return {
    role,
    workspaceId: membership?.workspace_id,
    seesPeople: role !== undefined && rolesWithPeople.includes(role),
    isAdmin: role !== undefined && adminRoles.includes(role),
    mayWrite: role !== undefined && rolesThatWrite.includes(role),
    isHealthcare: profile?.is_healthcare_family ?? false,
    may: (scope) => role !== undefined && scopesOf[role].includes(scope),
  };
}
