import { findAppOrigins } from '@tributary/domain/credentials';
import { findGoverningApp } from '@tributary/domain/tenants';
import type { Tx } from '@tributary/postgres';
import { mayReturnTo } from './return-url.ts';

export interface Return {
  readonly profileId: string;
  /** The app that asks, or asked. */
  readonly appId: string | null | undefined;
  readonly returnUrl: string;
}

/** Whether an app may have people of this profile sent there: it must govern the profile, be live, and allow the origin. Asked at the mint, and again at every bounce. */
export async function isReturnAllowed(tx: Tx, { profileId, appId, returnUrl }: Return): Promise<boolean> {
  if (!appId || (await findGoverningApp(tx, profileId)) !== appId) return false;
  const registration = await findAppOrigins(tx, appId);
  return registration !== undefined && mayReturnTo(returnUrl, registration);
}
