import type { Role } from '@tributary/contract';
import type { AllShards, Tx } from '@tributary/postgres';
import { listMembershipRows } from './store.ts';

export interface Membership {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly role: Role;
  readonly profiles: readonly { readonly id: string; readonly name: string; readonly isHealthcare: boolean }[];
}

/** The user's workspaces and profiles on all servers, sorted by workspace name. */
export async function findAllMemberships(everywhere: AllShards, userId: string): Promise<Membership[]> {
  const found = await everywhere.transaction((tx) => findMemberships(tx, userId), { readOnly: true });
  return found.sort((a, b) => compare(a.workspaceName, b.workspaceName) || compare(a.workspaceId, b.workspaceId));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The memberships on one server. */
async function findMemberships(tx: Tx, userId: string): Promise<Membership[]> {
  const rows = await listMembershipRows(tx, userId);
  return [...Map.groupBy(rows, (row) => row.workspace_id)].map(([workspaceId, inWorkspace]) => ({
    workspaceId,
    workspaceName: inWorkspace[0]?.workspace_name ?? '',
    role: inWorkspace[0]?.role ?? 'viewer',
    profiles: inWorkspace.flatMap(({ profile_id: id, profile_name: name, is_healthcare }) =>
      id && name !== null ? [{ id, name, isHealthcare: is_healthcare ?? true }] : [],
    ),
  }));
}
