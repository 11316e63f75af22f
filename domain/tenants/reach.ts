import { type Context, refuse } from '@tributary/operations';
import type { Ledger, Tx } from '@tributary/postgres';
import { findAppProfile, isWorkspaceOfApp } from './store.ts';

/** How an app reaches what it was given: a profile that it made or holds a grant on, a workspace that it provisioned. */
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

/** The profile in the path, for the app that made it; anything else was never there. */
export async function governedProfile({ ledger, caller }: Context, profileId: string): Promise<ReachedProfile> {
  const { appId } = caller;
  const reached = appId ? await ledger.transaction((tx) => reachProfile(tx, appId, profileId)) : undefined;
  // A token that speaks for one profile says nothing of another.
  const isElsewhere = caller.profileId !== undefined && caller.profileId !== profileId;
  if (!reached?.isGoverning || isElsewhere) return refuse('not_found', 'There is no such profile.');
  return reached;
}

/** The workspace that a request names, for its members and for the app that provisioned it; anything else was never there. */
export async function reachWorkspace({ ledger, caller, behind }: Context, workspaceId: string): Promise<Ledger> {
  const { appId } = caller;
  if (caller.workspaceId === workspaceId && caller.kind !== 'app') return behind({ workspaceId });
  if (appId && caller.profileId === undefined) {
    const isTheirs = await ledger.transaction((tx) => isWorkspaceOfApp(tx, appId, workspaceId));
    if (isTheirs) return behind({ workspaceId });
  }
  return refuse('not_found', 'There is no such workspace.');
}
