import { type Created, findCreated, revokeCreated } from '@tributary/domain/tenancy/credentials';
import { findProfileNames } from '@tributary/domain/tenancy/tenants';
import type { Servers } from '@tributary/operations';
import { switchScope, type Tx } from '@tributary/postgres';
import { listConsents, removeConsent } from './assistant-store.ts';
import { revokeInvitationsOf } from './invitation-store.ts';

/** Removes the report e-mails that a member created on a profile. Injected, because they belong to another module. */
export type RemoveReportMailsOf = (tx: Tx, profileId: string, userId: string) => Promise<void>;

export interface CreatedInWorkspace extends Created {
  readonly profileName: string | null;
}

/** Lists what a member created in the workspace of the transaction, newest first. Assistants are read from the home server. */
export async function listCreated(
  tx: Tx,
  { workspaceId, userId }: { readonly workspaceId: string; readonly userId: string },
  { home }: Servers,
  now: Date,
): Promise<CreatedInWorkspace[]> {
  const consents = await home.unbound.transaction((homeTx) => listConsents(homeTx, userId));
  const created = [...(await findCreated(tx, userId, now)), ...consents.map(toCreated)];
  const names = await findProfileNames(
    tx,
    workspaceId,
    created.map(({ profileId }) => profileId),
  );
  return created
    .filter(({ profileId }) => profileId === null || names.has(profileId))
    .map((one) => ({ ...one, profileName: names.get(one.profileId ?? '') ?? null }))
    .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
}

const toCreated = ({
  id,
  name,
  reference_id,
  created_at,
}: Awaited<ReturnType<typeof listConsents>>[number]): Created => ({
  kind: 'assistant',
  id,
  profileId: reference_id as string,
  name,
  createdAt: created_at,
});

/** Revokes all of it. Leaves the transaction scoped to the workspace, as at the start. */
export async function revokeAllCreated(
  tx: Tx,
  { workspaceId, userId }: { readonly workspaceId: string; readonly userId: string },
  servers: Servers,
  removeReportMailsOf: RemoveReportMailsOf,
  now: Date,
): Promise<CreatedInWorkspace[]> {
  const created = await listCreated(tx, { workspaceId, userId }, servers, now);
  await revokeInvitationsOf(tx, workspaceId, userId, now);
  // Sorted by id, so that two concurrent removals cannot deadlock.
  const profileIds = [...new Set(created.flatMap(({ profileId }) => profileId ?? []))].sort();
  for (const profileId of profileIds) {
    await switchScope(tx, { workspaceId, profileId });
    await revokeCreated(tx, profileId, userId, now);
    await removeReportMailsOf(tx, profileId, userId);
  }
  await switchScope(tx, { workspaceId });
  const isAtHome = (await servers.shardOf(workspaceId)) === servers.home;
  for (const { kind, id } of created) {
    const remove = (homeTx: Tx) => removeConsent(homeTx, id, userId);
    if (kind === 'assistant') await (isAtHome ? remove(tx) : servers.home.unbound.transaction(remove));
  }
  return created;
}
