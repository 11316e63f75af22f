import { createClient } from '@tributary/sdk';
import { buildApiKey } from '@tributary/testkit';
import type { Installation, Workspace } from './installation.ts';

/** The API as the shop's server calls it, with a key that sends events. */
export async function openApiClient({ kit, baseUrl }: Installation, { profileId }: Workspace) {
  const { secret } = await buildApiKey(kit.app, profileId, { scopes: ['attribution:write'] });
  return createClient({ baseUrl, apiKey: secret });
}

/** A payment as the shop's server sends it. */
export const paymentOf = (order: string, value: string, email: string) => ({
  event_name: 'payment_received',
  idempotency_key: order,
  occurred_at: new Date().toISOString(),
  properties: { value, currency: 'USD' },
  user_traits: { email },
});
