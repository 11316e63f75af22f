import { forgetAnswers } from '@tributary/operations';
import type { Postgres } from '@tributary/postgres';
import { listArchivedProfiles, removeProfile, removeWorkspace } from './store.ts';

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
  const profiles = await ledger.transaction((tx) => listArchivedProfiles(tx, workspaceId, profileId));
  for (const { id } of profiles) {
    await forgetElsewhere(id);
    await app.forProfile(id).transaction((tx) => forgetAnswers(tx, id));
    await ledger.transaction((tx) => removeProfile(tx, id));
  }
  if (profileId === undefined) {
    await ledger.transaction(async (tx) => {
      await forgetAnswers(tx, workspaceId);
      await removeWorkspace(tx, workspaceId);
    });
  }
}
