import type { Postgres } from '@tributary/postgres';

/** What removes a profile's rows from another store than PostgreSQL. */
export type ForgetProfile = (profileId: string) => Promise<void>;

/**
 * Removes an archived profile, or a whole archived workspace, from every store. Safe to run again: what is gone stays gone.
 * Every table of PostgreSQL refers to its profile with ON DELETE CASCADE, so none can be forgotten here.
 */
export async function deleteTenant(
  app: Postgres,
  { workspaceId, profileId }: { workspaceId: string; profileId?: string | undefined },
  forgetElsewhere: ForgetProfile,
): Promise<void> {
  const ledger = app.forWorkspace(workspaceId);
  const profiles = await ledger.transaction((tx) => {
    const archived = tx
      .selectFrom('profiles')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('archived_at', 'is not', null);
    return (profileId ? archived.where('id', '=', profileId) : archived).execute();
  });
  for (const { id } of profiles) {
    await forgetElsewhere(id);
    // What belongs to whoever asked, a profile among others, has no reference that would cascade.
    await app
      .forProfile(id)
      .transaction((tx) => tx.deleteFrom('idempotent_answers').where('owner_id', '=', id).execute());
    await ledger.transaction((tx) => tx.deleteFrom('profiles').where('id', '=', id).execute());
  }
  if (profileId === undefined) {
    await ledger.transaction(async (tx) => {
      await tx.deleteFrom('idempotent_answers').where('owner_id', '=', workspaceId).execute();
      await tx.deleteFrom('workspaces').where('id', '=', workspaceId).where('archived_at', 'is not', null).execute();
    });
  }
}
