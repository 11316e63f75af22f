import { loadSettings, WrongSettings } from '@tributary/config';
import { createPostgres } from '@tributary/postgres';
import { createRedis } from '@tributary/redis';
import { connectStream } from '@tributary/stream';
import { createLog, createMetrics, onStop, serveMetrics } from '@tributary/telemetry';
import { createVault, KeyRing, loadKeys } from '@tributary/vault';
import { createCollector } from './app.ts';

/** How late a rotated key is used at the latest. */
const keyRefreshMs = 30_000;

try {
  await main();
} catch (error) {
  console.error(error instanceof WrongSettings ? error.message : error);
  process.exit(1);
}

async function main(): Promise<void> {
  const settings = loadSettings(process.env);
  if (!settings.encryptionKeys)
    throw new WrongSettings([
      'ENCRYPTION_KEYS must be set, for example to "k1:" and the output of "openssl rand -base64 32"',
    ]);
  const log = createLog(settings.logLevel);
  const onError = (error: unknown) => log.failure(undefined, error);
  const postgres = createPostgres({ url: settings.databaseAppUrl, poolSize: 2, statementTimeoutMs: 5_000, onError });
  const redis = createRedis({ url: settings.redisUrl, prefix: settings.redisPrefix, onError });
  const ring = await new KeyRing(createVault(settings.encryptionKeys), () => loadKeys(postgres.unbound)).open(
    keyRefreshMs,
    onError,
  );
  const stream = await connectStream({ url: settings.natsUrl, prefix: settings.streamPrefix });
  await stream.ensureStreams();
  const metrics = createMetrics();
  if (settings.collectorMetricsPort !== undefined)
    await serveMetrics(metrics, settings.host, settings.collectorMetricsPort);
  let isStopping = false;
  const collector = await createCollector({
    baseUrl: settings.baseUrl,
    postgres,
    redis,
    stream,
    vault: createVault(() => ring.keys('stream')),
    log,
    metrics,
    now: () => new Date(),
    requestTimeoutMs: settings.requestTimeoutMs,
    requestsPerMinute: settings.collectorRequestsPerMinute,
    trustedProxies: settings.trustedProxies,
    geoDatabaseFile: settings.geoDatabaseFile,
    isStopping: () => isStopping,
  });
  await collector.listen(settings.host, settings.collectorPort);
  log.say('collector listens', { url: settings.collectorUrl });
  onStop('collector', log, settings.shutdownTimeoutMs, async () => {
    isStopping = true;
    await collector.close();
    await stream.close();
    ring.close();
    await postgres.close();
    redis.disconnect();
  });
}
