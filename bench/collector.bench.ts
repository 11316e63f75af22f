import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createPostgres } from '@tributary/postgres';
import { connectStream } from '@tributary/stream';
import { alternate, type Bench, Killable, median, openDrillEngines } from '@tributary/testkit';
import { KeepAliveClient } from './keep-alive-client.ts';
import { makeRequest, openTracked } from './visits.ts';

const seconds = 3;
const rounds = 5;
const inFlight = 64;
const prefix = 'bench';

/** Measures everything between a browser and the visit stream: HTTP, JSON, rate limit, key, origin, quota, location, masking, sealing, publishing. */
export const bench: Bench = {
  name: 'collector',
  question:
    'How many visits a second does the collector take in requests of ten, to bare JetStream publishing the same?',
  better: 'higher',

  async run({ progress }) {
    const engines = await openDrillEngines('bench-collector', ['postgres', 'redis', 'nats']);
    const app = createPostgres({ url: engines.database.appUrl, poolSize: 2 });
    const key = await openTracked(app);
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
      const compare = async (visits: number, done: number) => {
        const prepared: Buffer[] = [];
        const next = () => prepared.pop() ?? makeRequest(key, visits);
        // The bytes that the collector publishes for one such request; under load it puts several requests into one message.
        await client.measure(next, 0.1, 'HTTP/1.1 204');
        const payload = await anyRequest(stream, visits);
        const sides = await alternate(
          rounds,
          async () => {
            // Prepared in advance, so that the sender's cost is not measured.
            while (prepared.length < 30_000) prepared.push(makeRequest(key, visits));
            return client.measure(next, seconds, 'HTTP/1.1 204');
          },
          () => measureBare(bare, payload),
          (round) => progress(done + round, rounds * 2),
        );
        const [ours, theirs] = [median(sides.ours), median(sides.bare)];
        return {
          ratio: Math.round((ours / theirs) * 1_000) / 1_000,
          perSecond: { ours: Math.round(ours * visits), bare: Math.round(theirs * visits) },
          bytes: payload.length,
        };
      };
      const tens = await compare(10, 0);
      // Browsers send most visits in single requests.
      const ones = await compare(1, rounds);
      client.close();
      return {
        ratio: tens.ratio,
        ratio_ones: ones.ratio,
        visits_per_second: tens.perSecond,
        visits_per_second_ones: ones.perSecond,
        message_bytes: { tens: tens.bytes, ones: ones.bytes },
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

/** Any message in the stream with this number of visits. */
async function anyRequest(stream: Awaited<ReturnType<typeof connectStream>>, visits: number): Promise<string> {
  const found = Promise.withResolvers<string>();
  const reader = await stream.consume({
    name: `bench-${visits}`,
    handler: async (messages) => {
      for (const { payload } of messages) {
        const [first = ''] = Buffer.from(payload).toString('utf8').split('\n', 1);
        if (JSON.parse(first).visits.length === visits) found.resolve(first);
      }
    },
  });
  const payload = await found.promise;
  await reader.stop();
  return payload;
}
