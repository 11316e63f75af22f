import { type Context, refuse } from '@tributary/operations';
import type { Ledger, Tx } from '@tributary/postgres';
import { findAppProfile, isWorkspaceOfApp } from './store.ts';

/** A profile that an app may access because it created the profile or holds a grant on it. */
export interface ReachedProfile {
  readonly profileId: string;
  readonly workspaceId: string;
  /** Null when the app holds no grant (yet). */
  readonly oauthScopes: readonly string[] | null;
  readonly isGoverning: boolean;
  readonly isHealthcare: boolean;
}

export async function reachProfile(tx: Tx, appId: string, profileId: string): Promise<ReachedProfile | undefined> {
  const row = await findAppProfile(tx, appId, profileId);
  return (
    row && {
      profileId,
      workspaceId: row.workspace_id,
      oauthScopes: row.oauth_scopes,
      isGoverning: row.is_governing,
      isHealthcare: row.is_healthcare,
    }
  );
}

/** Returns the profile in the path if the calling app created it; otherwise responds 404, as for an unknown profile. */
export async function governedProfile({ ledger, caller }: Context, profileId: string): Promise<ReachedProfile> {
  const { appId } = caller;
  const reached = appId ? await ledger.transaction((tx) => reachProfile(tx, appId, profileId)) : undefined;
  // A token bound to one profile gives no access to another.
  const isBoundElsewhere = caller.profileId !== undefined && caller.profileId !== profileId;
  if (!reached?.isGoverning || isBoundElsewhere) return refuse('not_found', 'There is no such profile.');
  return reached;
}

/** Scopes the ledger to the workspace if the caller is a member or the app that provisioned it; otherwise responds 404, as for an unknown one. */
export async function reachWorkspace({ ledger, caller, behind }: Context, workspaceId: string): Promise<Ledger> {
  const { appId } = caller;
  if (caller.workspaceId === workspaceId && caller.kind !== 'app') return behind({ workspaceId });
  if (appId && caller.profileId === undefined) {
    const isProvisioned = await ledger.transaction((tx) => isWorkspaceOfApp(tx, appId, workspaceId));
    if (isProvisioned) return behind({ workspaceId });
  }
  return refuse('not_found', 'There is no such workspace.');
}
