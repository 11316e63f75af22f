import { findAppOrigins } from '@tributary/domain/tenancy/credentials';
import { findGoverningApp } from '@tributary/domain/tenancy/tenants';
import type { Tx } from '@tributary/postgres';
import { isOwnConsole, mayReturnTo } from './return-url.ts';

export interface ReturnTarget {
  readonly profileId: string;
  /** The app that created the hand-off, if any. */
  readonly appId: string | null | undefined;
  readonly returnUrl: string;
  /** The base URL of this deployment. */
  readonly baseUrl: string;
}

/**
 * Whether a user may be redirected to the return URL. The app must govern the profile, be active and allow the origin.
 * Without an app only the profile's connections page in the console is allowed. Checked at creation and before every
 * redirect.
 */
export async function isReturnAllowed(
  tx: Tx,
  { profileId, appId, returnUrl, baseUrl }: ReturnTarget,
): Promise<boolean> {
  if (!appId) return isOwnConsole(returnUrl, baseUrl, profileId);
  if ((await findGoverningApp(tx, profileId)) !== appId) return false;
  const registration = await findAppOrigins(tx, appId);
  return registration !== undefined && mayReturnTo(returnUrl, registration);
}
