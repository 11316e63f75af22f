import type { AddressInfo } from 'node:net';
import { createCollector } from '@tributary/collector/app.ts';
import { collectorRoutes, type Route } from '@tributary/contract';
import { listen } from '@tributary/postgres/listen.ts';
import { openLookUps } from '@tributary/postgres/look-ups.ts';
import { createRedis, redisReady } from '@tributary/redis';
import { connectStream } from '@tributary/stream';
import { createLog } from '@tributary/telemetry';
import { createMetrics } from '@tributary/telemetry/prometheus.ts';
import { type Testkit, type TestServer, testVault } from '@tributary/testkit';
import inject from 'light-my-request';
import type { Target } from './fuzz.ts';

/** Starts listening with a Fastify server. */
export async function targetOf({
  fastify,
  logLines,
}: Pick<TestServer, 'fastify' | 'logLines'>): Promise<Omit<Target, 'routes'>> {
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  const { port } = fastify.server.address() as AddressInfo;
  return { inject: (request) => fastify.inject(request), port, logLines };
}

/** A collector as browsers use it, with its own stream. */
export async function openCollectorTarget(kit: Testkit): Promise<Target & { close(): Promise<void> }> {
  const redis = createRedis({ url: kit.redisUrl, prefix: kit.redisPrefix });
  await redisReady(redis);
  const lookUps = openLookUps({ url: kit.database.collectorUrl, poolSize: 2 });
  const stream = await connectStream({ url: kit.natsUrl, prefix: kit.streamPrefix });
  await stream.ensureStreams();
  const logLines: string[] = [];
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
    clockSkewMs: () => 0,
    isStopping: () => false,
  });
  const port = await collector.listen('127.0.0.1', 0);
  return {
    inject: (request) =>
      inject((incoming, response) => void collector.server.emit('request', incoming, response), request),
    port,
    routes: Object.values<Route>(collectorRoutes),
    isForBrowsers: true,
    logLines,
    async close() {
      await collector.close();
      await stream.close();
      redis.disconnect();
      await lookUps.close();
    },
  };
}
