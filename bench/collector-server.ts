import { openSync } from 'node:fs';
import { createCollector } from '@tributary/collector/app.ts';
import { listen } from '@tributary/postgres/listen.ts';
import { openLookUps } from '@tributary/postgres/look-ups.ts';
import { createRedis, redisReady } from '@tributary/redis';
import { connectStream } from '@tributary/stream';
import { createLog, openLogFile } from '@tributary/telemetry';
import { createMetrics } from '@tributary/telemetry/prometheus.ts';
import { testStreamVault } from '@tributary/testkit';

/** Our side of the collector bench: the complete collector, wired as in its main.ts. */
const [appUrl = '', redisUrl = '', natsUrl = '', prefix = ''] = process.argv.slice(2);
const redis = createRedis({ url: redisUrl, prefix: 'bench' });
await redisReady(redis);
const stream = await connectStream({ url: natsUrl, prefix });
await stream.ensureStreams();
const collector = await createCollector({
  baseUrl: 'http://127.0.0.1',
  lookUps: openLookUps({ url: appUrl, poolSize: 2 }),
  hearChanges: (channel, hearing) => listen(appUrl, channel, hearing),
  redis,
  stream,
  vault: testStreamVault,
  metrics: createMetrics(),
  log: createLog('info', openLogFile(openSync('/dev/null', 'w'))),
  now: () => new Date(),
  requestTimeoutMs: 30_000,
  // Every request still takes from the rate limit in Redis; the limit is only large enough for a bench.
  requestsPerMinute: 60_000_000,
  addressShare: 0.2,
  trustedProxies: ['127.0.0.1'],
  clockSkewMs: () => 0,
  isStopping: () => false,
});
process.send?.({ port: await collector.listen('127.0.0.1', 0) });
