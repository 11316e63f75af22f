import type { PageEndpoint } from '@tributary/pages';
import type { Postgres } from '@tributary/postgres';
import { ProviderFault, type Providers, type ReceivedNews } from '@tributary/providers';
import { type Channel, channelNames } from '@tributary/vocabulary';
import { noteFault } from './note-fault.ts';
import { wishSync } from './store.ts';

interface WebhookServices {
  readonly postgres: Postgres;
  readonly providers: Providers;
}

/** More news in one delivery than any provider sends. */
const mostNews = 1_000;

interface Found {
  readonly profile_id: string;
  readonly id: string;
  readonly credentials_revision: number;
}

/**
 * Where providers tell that something changed. What they say is believed for its signature over the raw bytes alone, and makes the
 * connection due: the thing itself is read again before anything is written.
 */
export const providerWebhooks = ({ postgres, providers }: WebhookServices): PageEndpoint[] => [
  {
    method: 'POST',
    path: '/hooks/:channel',
    allowance: 'public',
    maxBytes: 1 << 20,
    handle: async (request, { params, now }) => {
      const channel = channelNames.find((name) => name === params.channel);
      const receive = channel && providers.of(channel)?.receive;
      if (!channel || !receive) return new Response(null, { status: 404 });
      const headers = Object.fromEntries(request.headers);
      const delivery = { headers, body: new Uint8Array(await request.arrayBuffer()) };
      if (!receive.verify(delivery, now)) return new Response(null, { status: 401 });
      for (const news of receive.read(delivery).slice(0, mostNews)) await take(postgres, channel, news, now);
      return new Response(null, { status: 204 });
    },
  },
];

async function take(postgres: Postgres, channel: Channel, news: ReceivedNews, now: Date): Promise<void> {
  const found = await postgres.unbound.lookUp<Found>('SELECT * FROM find_connections_of($1, $2)', [
    channel,
    news.accountExternalId,
  ]);
  for (const { profile_id, id, credentials_revision: revision } of found) {
    await postgres.forProfile(profile_id).transaction(async (tx) => {
      if (news.about === 'changed') return wishSync(tx, { profile_id, id, channel }, now);
      const gone = { verdict: 'reconnect', code: 'disconnected_at_provider', says: '' } as const;
      return noteFault(tx, { profileId: profile_id, connectionId: id, revision, now }, new ProviderFault(gone));
    });
  }
}
