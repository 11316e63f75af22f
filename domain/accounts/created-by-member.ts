import { type Created, findCreated, revokeCreated } from '@tributary/domain/credentials';
import { findProfileNames } from '@tributary/domain/tenants';
import type { Servers } from '@tributary/operations';
import { enter, type Tx } from '@tributary/postgres';
import { listConsents, removeConsent } from './assistant-store.ts';
import { revokeInvitationsOf } from './invitation-store.ts';

/** Removes the reports by e-mail that a member created on a profile; they belong to another room. */
export type RemoveReportMailsOf = (tx: Tx, profileId: string, userId: string) => Promise<void>;

export interface CreatedInWorkspace extends Created {
  readonly profileName: string | null;
}

/** Newest first. The transaction is one of the workspace's; assistants are kept on the home server. */
export async function listCreated(
  tx: Tx,
  { workspaceId, userId }: { readonly workspaceId: string; readonly userId: string },
  { home }: Servers,
  now: Date,
): Promise<CreatedInWorkspace[]> {
  const consents = await home.unbound.transaction((there) => listConsents(there, userId));
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

/** Ends the transaction in the workspace, as it began. */
export async function revokeAllCreated(
  tx: Tx,
  { workspaceId, userId }: { readonly workspaceId: string; readonly userId: string },
  servers: Servers,
  removeReportMailsOf: RemoveReportMailsOf,
  now: Date,
): Promise<CreatedInWorkspace[]> {
  const created = await listCreated(tx, { workspaceId, userId }, servers, now);
  await revokeInvitationsOf(tx, workspaceId, userId, now);
  // In the order of their ids: two removals at once must not wait for each other.
  const profileIds = [...new Set(created.flatMap(({ profileId }) => profileId ?? []))].sort();
  for (const profileId of profileIds) {
    await enter(tx, { workspaceId, profileId });
    await revokeCreated(tx, profileId, userId, now);
    await removeReportMailsOf(tx, profileId, userId);
  }
  await enter(tx, { workspaceId });
  const isAtHome = (await servers.shardOf(workspaceId)) === servers.home;
  for (const { kind, id } of created) {
    const remove = (there: Tx) => removeConsent(there, id, userId);
    if (kind === 'assistant') await (isAtHome ? remove(tx) : servers.home.unbound.transaction(remove));
  }
  return created;
}
