import { useQuery } from '@tanstack/react-query';
import type { Role, Scope } from '@tributary/contract';
import { accountQuery } from './queries.ts';
import { useReportScope } from './report-scope.ts';
import { adminRoles, rolesThatWrite, rolesWithPeople, scopesOf } from './vocabulary.ts';

export interface Membership {
  readonly role: Role | undefined;
  readonly workspaceId: string | undefined;
  readonly seesPeople: boolean;
  readonly isAdmin: boolean;
  readonly mayWrite: boolean;
  readonly isHealthcare: boolean;
  /** Whether the role includes the scope. */
  readonly may: (scope: Scope) => boolean;
}

/** The permissions of the signed-in member in the profile of the URL. The API enforces them; this only hides screens that it would refuse. */
export function useMembership(): Membership {
  const { scope } = useReportScope();
  const { data: account } = useQuery(accountQuery);
  const membership = account?.memberships.find(({ profiles }) => profiles.some(({ id }) => id === scope.profileId));
  const profile = membership?.profiles.find(({ id }) => id === scope.profileId);
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
