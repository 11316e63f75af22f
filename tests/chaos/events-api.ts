import { createApi } from '@tributary/api/app.ts';
import { createClickHouse } from '@tributary/clickhouse';
import { dnsOpener } from '@tributary/domain/traffic/tracking/module.ts';
import { createOutbound } from '@tributary/outbound';
import { createRedis } from '@tributary/redis';
import { createLog } from '@tributary/telemetry';
import { createMetrics } from '@tributary/telemetry/prometheus.ts';
import { openLedger, testApiOptions } from '@tributary/testkit';
import { createJobs } from '@tributary/work';

/** The complete API in a separate process, for drills that kill it and benchmarks that load it. */
const [appUrl = '', redisUrl = '', port = '0', poolSize = '12'] = process.argv.slice(2);
const postgres = openLedger(appUrl, Number(poolSize));
const api = await createApi({
  ...testApiOptions,
  checkAnswers: false,
  baseUrl: 'http://127.0.0.1',
  collectorUrl: 'http://127.0.0.1',
  postgres,
  connections: Number(poolSize),
  redis: createRedis({ url: redisUrl, prefix: 'events-api' }),
  // The routes under load use none of the following services.
  clickhouse: createClickHouse({ url: 'http://127.0.0.1:9', database: 'none' }),
  outbound: createOutbound({ timeoutMs: 1_000 }),
  openDns: dnsOpener([]),
  jobs: await createJobs(appUrl, () => {}),
  log: createLog('silent'),
  metrics: createMetrics(),
  now: () => new Date(),
  requestTimeoutMs: 30_000,
});
await api.listen({ host: '127.0.0.1', port: Number(port) });
process.send?.({ port: (api.server.address() as { port: number }).port });
