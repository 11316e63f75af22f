import { type Client, createClient } from '@tributary/sdk';
import { sharedLink } from './shared-link.ts';

const clients = new Map<string, Client>();

/** An API client for one profile, authenticated by the browser's session cookie or by the shared link that was opened. */
export function clientFor(profileId: string): Client {
  const link = sharedLink();
  const asking = link ? { apiKey: link.secret } : { session: { profileId } };
  const client = clients.get(profileId) ?? createClient({ baseUrl: '', ...asking });
  clients.set(profileId, client);
  return client;
}

/** For requests about the account rather than a profile. */
export const accountClient = createClient({ baseUrl: '', session: {} });
