import type { Role } from '@tributary/contract';
import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';

export interface Membership {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly role: Role;
  readonly profiles: readonly { readonly id: string; readonly name: string; readonly isHealthcare: boolean }[];
}

interface Row {
  readonly workspace_id: string;
  readonly workspace_name: string;
  readonly role: Role;
  readonly profile_id: string | null;
  readonly profile_name: string | null;
  readonly is_healthcare: boolean | null;
}

/** Where a person may act: their workspaces and the profiles in them, by name. */
export async function findMemberships(tx: Tx, userId: string): Promise<Membership[]> {
  const { rows } = await sql<Row>`SELECT * FROM find_memberships(${userId})`.execute(tx);
  return [...Map.groupBy(rows, (row) => row.workspace_id)].map(([workspaceId, inWorkspace]) => ({
    workspaceId,
    workspaceName: inWorkspace[0]?.workspace_name ?? '',
    role: inWorkspace[0]?.role ?? 'viewer',
    profiles: inWorkspace.flatMap(({ profile_id: id, profile_name: name, is_healthcare }) =>
      id && name !== null ? [{ id, name, isHealthcare: is_healthcare ?? true }] : [],
    ),
  }));
}
