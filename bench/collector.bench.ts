import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createPostgres } from '@tributary/postgres';
import { connectStream } from '@tributary/stream';
import {
  alternate,
  type Bench,
  browserVisit,
  buildProfile,
  buildTrackingKey,
  Killable,
  median,
  openDrillEngines,
} from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { KeepAliveClient } from './keep-alive-client.ts';

const seconds = 4;
const rounds = 5;
const inFlight = 64;
const visitsPerRequest = 10;
const prefix = 'bench';

/** What stands between a browser and the log: HTTP, JSON, allowance, key, origin, quota, place, masking, sealing, publishing. */
export const bench: Bench = {
  name: 'collector',
  question:
    'How many visits a second does the collector take in requests of ten, to bare JetStream publishing the same?',
  better: 'higher',

  async run({ progress }) {
    const engines = await openDrillEngines('bench-collector', ['postgres', 'redis', 'nats']);
    const app = createPostgres({ url: engines.database.appUrl, poolSize: 2 });
    const profile = await buildProfile(app);
    const { key } = await buildTrackingKey(app, profile.id, { allowedHosts: ['shop.example'] });
    await app
      .forWorkspace(profile.workspaceId)
      .transaction((tx) =>
        tx.updateTable('workspaces').set({ plan: 'scale' }).where('id', '=', profile.workspaceId).execute(),
      );
    const stream = await connectStream({ url: engines.natsUrl, prefix });
    await stream.ensureStreams();
    const server = new Killable<{ port: number }>(join(import.meta.dirname, 'collector-server.ts'), [
      engines.database.appUrl,
      engines.redisUrl,
      engines.natsUrl,
      prefix,
    ]);
    const bare = fork(join(import.meta.dirname, 'collector-bare.ts'), [engines.natsUrl, prefix, String(inFlight)]);
    try {
      await once(bare, 'message');
      const client = await new KeepAliveClient((await server.start()).port).open(inFlight);
      const prepared: Buffer[] = [];
      const next = () => prepared.pop() ?? makeRequest(key);
      // The very bytes that the collector writes for one such request; under load it puts several into a message.
      await client.measure(next, 0.1, 'HTTP/1.1 204');
      const payload = await anyRequest(stream);
      const sides = await alternate(
        rounds,
        async () => {
          // Made beforehand: what a request costs its sender is not asked here.
          while (prepared.length < 30_000) prepared.push(makeRequest(key));
          return client.measure(next, seconds, 'HTTP/1.1 204');
        },
        () => measureBare(bare, payload),
        progress,
      );
      client.close();
      return {
        ratio: Math.round((median(sides.ours) / median(sides.bare)) * 1_000) / 1_000,
        visits_per_second: {
          ours: Math.round(median(sides.ours) * visitsPerRequest),
          bare: Math.round(median(sides.bare) * visitsPerRequest),
        },
        message_bytes: payload.length,
        visits_per_request: visitsPerRequest,
        in_flight: inFlight,
        rounds,
      };
    } finally {
      bare.kill('SIGKILL');
      await server.kill();
      await stream.close();
      await app.close();
      await engines.close();
    }
  },
};

async function measureBare(bare: ChildProcess, payload: string): Promise<number> {
  bare.send({ payload, seconds });
  const [{ perSecond }] = (await once(bare, 'message')) as [{ perSecond: number }];
  return perSecond;
}

/** Any request that is in the log. */
async function anyRequest(stream: Awaited<ReturnType<typeof connectStream>>): Promise<string> {
  const found = Promise.withResolvers<string>();
  const reader = await stream.consume({
    name: 'bench',
    handler: async ([message]) =>
      found.resolve(
        Buffer.from(message?.payload ?? [])
          .toString('utf8')
          .split('\n', 1)[0] ?? '',
      ),
  });
  const payload = await found.promise;
  await reader.stop();
  return payload;
}

const pages = [
  'shoes/runner-3?size=42&color=blue',
  'cart',
  'checkout/step-2',
  'blog/how-to-choose#comments',
  'search?q=red+shoes&page=2',
];

/** A landing with campaign tags and nine pages after it; each request of another browser, at another address. */
function makeRequest(key: string): Buffer {
  const session_id = uuid();
  const visits = Array.from({ length: visitsPerRequest }, (_, place) =>
    browserVisit(new Date(), {
      session_id,
      is_session_start: place === 0,
      url:
        place === 0
          ? 'https://shop.example/shoes?utm_source=facebook&utm_medium=paid_social&utm_campaign=spring&campaign_id=120200000000000001&fbclid=IwAR0aBcDeFgHiJkLmNoPqRsTuVwXyZ'
          : `https://shop.example/${pages[place % pages.length]}`,
      referrer: place === 0 ? 'https://l.facebook.com/' : 'https://shop.example/shoes',
    }),
  );
  const body = JSON.stringify({ key, client_id: uuid(), visits });
  const address = Array.from({ length: 4 }, () => 1 + Math.floor(Math.random() * 220)).join('.');
  return Buffer.from(
    `POST /v1/visits HTTP/1.1\r\nHost: collector\r\nOrigin: https://www.shop.example\r\nContent-Type: text/plain\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\nX-Forwarded-For: ${address}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}
