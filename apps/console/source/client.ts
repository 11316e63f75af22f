import { type Client, createClient } from '@tributary/sdk';
import { sharedLink } from './shared-link.ts';

const clients = new Map<string, Client>();

/** The API behind this page, for one profile. The browser's session cookie says who asks, or the link that was opened. */
export function clientFor(profileId: string): Client {
  const link = sharedLink();
  const asking = link ? { apiKey: link.secret } : { session: { profileId } };
  const client = clients.get(profileId) ?? createClient({ baseUrl: '', ...asking });
  clients.set(profileId, client);
  return client;
}

/** For what belongs to a person and to no profile. */
export const accountClient = createClient({ baseUrl: '', session: {} });
