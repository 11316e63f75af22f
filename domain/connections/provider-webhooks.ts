import { type OutcomeServices, untilRecorded } from '@tributary/domain/outcomes';
import type { PageEndpoint } from '@tributary/pages';
import type { Postgres } from '@tributary/postgres';
import {
  type Provider,
  ProviderFault,
  type Providers,
  type Received,
  type ReceivedNews,
  type Said,
} from '@tributary/providers';
import type { Vault } from '@tributary/vault';
import { type Channel, channelNames } from '@tributary/vocabulary';
import { openCredentials } from './credentials.ts';
import { noteFault } from './note-fault.ts';
import { recordSaid } from './record-said.ts';
import { findConnection, wishSync } from './store.ts';

interface WebhookServices {
  readonly postgres: Postgres;
  readonly providers: Providers;
  readonly vault: Pick<Vault, 'open'>;
  readonly outcomes: OutcomeServices;
}

/** More news in one delivery than any provider sends. */
const mostNews = 1_000;

interface Found {
  readonly profile_id: string;
  readonly id: string;
  readonly credentials_revision: number;
}

const ended = (status: 204 | 401 | 404 | 422) => new Response(null, { status });

/**
 * Where providers tell that something changed. What they say is believed for its signature over the raw bytes alone. Most make the
 * connection due: the thing itself is read again before anything is written. What an account signs with its own secret is written as it
 * came, since there may be no token to ask with.
 */
export const providerWebhooks = (services: WebhookServices): PageEndpoint[] => [
  {
    method: 'POST',
    path: '/hooks/:channel',
    allowance: 'provider',
    maxBytes: 2 << 20,
    sender: 'provider',
    handle: async (request, { params, now }) => {
      const channel = channelNames.find((name) => name === params.channel);
      const provider = channel && services.providers.of(channel);
      if (!provider || !(provider.receive || provider.tells)) return ended(404);
      const delivery = {
        headers: Object.fromEntries(request.headers),
        body: new Uint8Array(await request.arrayBuffer()),
      };
      if (provider.tells) return takeTold(services, channel, provider, delivery, now);
      if (!provider.receive?.verify(delivery, now)) return ended(401);
      for (const news of provider.receive.read(delivery).slice(0, mostNews)) await take(services, channel, news, now);
      return ended(204);
    },
  },
];

const connectionsOf = ({ postgres }: WebhookServices, channel: Channel, account: string) =>
  postgres.everywhere.lookUp<Found>('SELECT * FROM find_connections_of($1, $2)', [channel, account]);

async function take(services: WebhookServices, channel: Channel, news: ReceivedNews, now: Date): Promise<void> {
  const found = await connectionsOf(services, channel, news.accountExternalId);
  for (const { profile_id, id, credentials_revision: revision } of found) {
    await services.postgres.forProfile(profile_id).transaction(async (tx) => {
      if (news.about === 'changed') return wishSync(tx, { profile_id, id, channel }, now);
      const gone = { verdict: 'reconnect', code: 'disconnected_at_provider', says: '' } as const;
      return noteFault(tx, { profileId: profile_id, connectionId: id, revision, now }, new ProviderFault(gone));
    });
  }
}

/** Kept before it is answered. What cannot be kept is refused, so that the sender shows it as failed. */
async function takeTold(
  services: WebhookServices,
  channel: Channel,
  provider: Provider,
  delivery: Received,
  now: Date,
): Promise<Response> {
  const { tells } = provider;
  const account = tells?.accountOf(delivery);
  const found = account === undefined ? [] : await connectionsOf(services, channel, account);
  let [isSigned, isWhole] = [false, true];
  for (const { profile_id: profileId, id } of found) {
    const ledger = services.postgres.forProfile(profileId);
    const row = await ledger.transaction((tx) => findConnection(tx, profileId, id), { readOnly: true });
    if (!row?.credentials) continue;
    const credentials = openCredentials(services.vault, { profileId, id }, provider, row.credentials);
    if (!tells?.verify(delivery, credentials)) continue;
    isSigned = true;
    const said = readTold(() => tells.read(delivery));
    if (!said) return ended(422);
    const saying = { profileId, connectionId: id, channel, services: services.outcomes, now };
    const rejected = await untilRecorded(() => ledger.transaction((tx) => recordSaid(tx, saying, said)));
    if (rejected.length > 0) isWhole = false;
  }
  return ended(isSigned ? (isWhole ? 204 : 422) : 401);
}

function readTold(read: () => readonly Said[]): readonly Said[] | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
