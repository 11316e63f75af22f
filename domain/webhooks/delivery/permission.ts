import { type OAuthScope, scopesOfGrant } from '@tributary/contract';
import { isLiveApp } from '@tributary/domain/credentials';
import { isServed, reachProfile } from '@tributary/domain/tenants';
import type { Tx } from '@tributary/postgres';

/** What may leave to a subscription at this moment. */
export interface Permission {
  readonly lifecycle: boolean;
  readonly outcomes: boolean;
  /** Whether the person behind an outcome may be told. */
  readonly seesPeople: boolean;
}

const nothing: Permission = { lifecycle: false, outcomes: false, seesPeople: false };

/**
 * An app is told of a profile while it holds a grant there or governs it; of outcomes only while it does both, and never on a
 * healthcare-family profile. Whoever is no app is told what names nobody.
 */
export async function permissionOf(tx: Tx, profileId: string, appId: string | null): Promise<Permission> {
  if (appId === null) return { ...nothing, lifecycle: await isServed(tx, profileId) };
  const reached = (await isLiveApp(tx, appId)) ? await reachProfile(tx, appId, profileId) : undefined;
  if (!reached) return nothing;
  const { isGoverning, isHealthcare, oauthScopes } = reached;
  if (!isGoverning || isHealthcare || oauthScopes === null) return { ...nothing, lifecycle: true };
  const scopes = scopesOfGrant(oauthScopes as OAuthScope[], false);
  return { lifecycle: true, outcomes: true, seesPeople: scopes.has('customers:read') };
}
