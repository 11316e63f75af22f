import { findAppOrigins } from '@tributary/domain/credentials';
import { findGoverningApp } from '@tributary/domain/tenants';
import type { Tx } from '@tributary/postgres';
import { isOwnConsole, mayReturnTo } from './return-url.ts';

export interface Return {
  readonly profileId: string;
  /** The app that asks, or asked. */
  readonly appId: string | null | undefined;
  readonly returnUrl: string;
  /** The address of this deployment. */
  readonly baseUrl: string;
}

/**
 * Whether people of this profile may be sent there. An app must govern the profile, be live, and allow the origin; without an app only the
 * connections page of the profile in our own console is allowed. Checked when the hand-off is created and before every redirect.
 */
export async function isReturnAllowed(tx: Tx, { profileId, appId, returnUrl, baseUrl }: Return): Promise<boolean> {
  if (!appId) return isOwnConsole(returnUrl, baseUrl, profileId);
  if ((await findGoverningApp(tx, profileId)) !== appId) return false;
  const registration = await findAppOrigins(tx, appId);
  return registration !== undefined && mayReturnTo(returnUrl, registration);
}
