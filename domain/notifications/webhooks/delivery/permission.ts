import { type OAuthScope, scopesOfGrant } from '@tributary/contract';
import { isLiveApp } from '@tributary/domain/tenancy/credentials';
import { isActiveProfile, reachProfile } from '@tributary/domain/tenancy/tenants';
import type { Tx } from '@tributary/postgres';

/** The kinds of events that may currently be sent to a subscription. */
export interface Permission {
  readonly lifecycle: boolean;
  readonly outcomes: boolean;
  /** Whether customer contacts of outcomes may be sent. */
  readonly seesPeople: boolean;
}

const noPermission: Permission = { lifecycle: false, outcomes: false, seesPeople: false };

/**
 * An app receives events of a profile while it holds a grant there or governs it. It receives outcomes only while both are true, and never
 * for a healthcare-family profile. A subscription without an app receives only events without personal data.
 */
export async function permissionOf(tx: Tx, profileId: string, appId: string | null): Promise<Permission> {
  if (appId === null) return { ...noPermission, lifecycle: await isActiveProfile(tx, profileId) };
  const reached = (await isLiveApp(tx, appId)) ? await reachProfile(tx, appId, profileId) : undefined;
  if (!reached) return noPermission;
  const { isGoverning, isHealthcare, oauthScopes } = reached;
  if (!isGoverning || isHealthcare || oauthScopes === null) return { ...noPermission, lifecycle: true };
  const scopes = scopesOfGrant(oauthScopes as OAuthScope[], false);
  return { lifecycle: true, outcomes: true, seesPeople: scopes.has('customers:read') };
}
