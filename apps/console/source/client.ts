import { type Client, createClient } from '@tributary/sdk';

const clients = new Map<string, Client>();

/** The API behind this page, for one profile. The browser's session cookie says who asks. */
export function clientFor(profileId: string): Client {
  const client = clients.get(profileId) ?? createClient({ baseUrl: '', session: { profileId } });
  clients.set(profileId, client);
  return client;
}

/** For what belongs to a person and to no profile. */
export const accountClient = createClient({ baseUrl: '', session: {} });
