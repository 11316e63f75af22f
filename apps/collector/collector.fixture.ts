import type { VisitMessage } from '@tributary/domain/traffic/ingestion/intake.ts';
import { listen } from '@tributary/postgres/listen.ts';
import { openLookUps } from '@tributary/postgres/look-ups.ts';
import { createRedis, redisReady } from '@tributary/redis';
import type { Stream } from '@tributary/stream';
import { createLog } from '@tributary/telemetry';
import { createMetrics } from '@tributary/telemetry/prometheus.ts';
import { browserVisit, buildProfile, buildTrackingKey, openTestkit, testVault } from '@tributary/testkit';
import { openPrivateStream } from '@tributary/testkit/stream';
import { v7 as uuid } from 'uuid';
import { type CollectorOptions, createCollector } from './app.ts';

export interface Answered {
  readonly error: { readonly code: string; readonly reason?: string };
}

/** A collector with its own stream, and a reader of that stream. */
export async function openCollectorScene() {
  const kit = await openTestkit();
  const redis = createRedis({ url: kit.redisUrl, prefix: kit.redisPrefix });
  await redisReady(redis);
  const lookUps = openLookUps({ url: kit.database.collectorUrl, poolSize: 2 });
  const log = await openPrivateStream();
  const logLines: string[] = [];
  const messages: VisitMessage[] = [];

  const open = async (stream: Stream, changes: Partial<CollectorOptions> = {}) => {
    const collector = await createCollector({
      baseUrl: 'https://tributary.test',
      lookUps,
      hearChanges: (channel, hearing) => listen(kit.database.collectorUrl, channel, hearing),
      redis,
      stream,
      vault: testVault,
      metrics: createMetrics(),
      log: createLog('info', { write: (line) => void logLines.push(line) }),
      now: () => kit.clock.now(),
      requestTimeoutMs: 30_000,
      requestsPerMinute: 100_000,
      addressShare: 0.2,
      trustedProxies: ['127.0.0.1'],
      clockSkewMs: () => 0,
      isStopping: () => false,
      ...changes,
    });
    const port = await collector.listen('127.0.0.1', 0);
    return { port, url: `http://127.0.0.1:${port}`, close: () => collector.close() };
  };
  const collector = await open(log.stream);
  await log.stream.consume({
    name: 'test',
    maxWaitMs: 5,
    handler: async (batch) => {
      for (const { payload } of batch)
        for (const line of Buffer.from(payload).toString('utf8').split('\n')) messages.push(JSON.parse(line));
    },
  });
  const visit = (changes: Record<string, unknown> = {}) => browserVisit(kit.clock.now(), changes);
  const found = async (isIt: (message: VisitMessage) => boolean): Promise<VisitMessage> => {
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const message = messages.find(isIt);
      if (message) return message;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error('The message did not come.');
  };

  return {
    kit,
    log,
    logLines,
    collector,
    open,
    visit,
    async setUp(traits: Parameters<typeof buildTrackingKey>[2] = {}) {
      const profile = await buildProfile(kit.app);
      const { id, key } = await buildTrackingKey(kit.app, profile.id, traits);
      return { profileId: profile.id, keyId: id, envelope: { key, client_id: uuid(), visits: [visit()] } };
    },
    post: (body: unknown, headers: Record<string, string> = {}, to = collector.url) =>
      fetch(`${to}/v1/visits`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    messageOf: (clientId: string) => found(({ client_id }) => client_id === clientId),
    /** The rejections that the collector reported for the profile. */
    refusedOf: async (profileId: string) =>
      (await found((message) => message.profile_id === profileId && message.refused !== undefined)).refused,
    async close() {
      await collector.close();
      await log.destroy();
      redis.disconnect();
      await lookUps.close();
      await kit.close();
    },
  };
}

export type CollectorScene = Awaited<ReturnType<typeof openCollectorScene>>;
