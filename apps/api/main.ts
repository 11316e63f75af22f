import { createLanguageModel, type LanguageModel } from '@tributary/ai-model';
import { clickhouseSettings, createClickHouse } from '@tributary/clickhouse';
import { loadSettings, type Settings, WrongSettings } from '@tributary/config';
import { consoleDirectory } from '@tributary/console/build.ts';
import { dnsOpener } from '@tributary/domain/tracking';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { createPostgres } from '@tributary/postgres';
import { createRedis } from '@tributary/redis';
import { createLog, createMetrics, createTracing, onStop, serveMetrics } from '@tributary/telemetry';
import { createVault, KeyRing, loadKeys } from '@tributary/vault';
import { createJobs } from '@tributary/work';
import { createApi } from './app.ts';

/** How late a rotated key is used at the latest. */
const keyRefreshMs = 30_000;

/** Whoever waits for a report gets an answer before the request's own time is up, if only that the warehouse is away. */
const warehouseTimeoutMs = 15_000;

/** A model takes its time; whoever waits gets an answer before the request's own time is up. */
const modelTimeoutMs = 25_000;
const modelMaxBytes = 1024 * 1024;

/** For one page that a user named. */
const outboundTimeoutMs = 8_000;

try {
  await main();
} catch (error) {
  console.error(error instanceof WrongSettings ? error.message : error);
  process.exit(1);
}

async function main(): Promise<void> {
  const settings = loadSettings(process.env);
  const { encryptionKeys, tlsCertificateFile, tlsKeyFile } = settings;
  if (!encryptionKeys)
    throw new WrongSettings([
      'ENCRYPTION_KEYS must be set, for example to "k1:" and the output of "openssl rand -base64 32"',
    ]);
  const log = createLog(settings.logLevel);
  const postgres = createPostgres({
    url: settings.databaseAppUrl,
    poolSize: settings.databasePoolSize,
    onError: (error) => log.failure(undefined, error),
  });
  const redis = createRedis({
    url: settings.redisUrl,
    prefix: settings.redisPrefix,
    onError: (error) => log.failure(undefined, error),
  });
  const jobs = await createJobs(settings.databaseAppUrl, (error) => log.failure(undefined, error));
  const ring = await new KeyRing(createVault(encryptionKeys), () => loadKeys(postgres.unbound)).open(
    keyRefreshMs,
    (error) => log.failure(undefined, error),
  );
  const tracing = settings.otlpEndpoint ? await createTracing(settings.otlpEndpoint, 'tributary-api') : undefined;
  const metrics = createMetrics();
  if (settings.metricsPort !== undefined) await serveMetrics(metrics, settings.host, settings.metricsPort);
  const clickhouse = createClickHouse({ ...clickhouseSettings(settings), requestTimeoutMs: warehouseTimeoutMs });
  let isStopping = false;
  const api = await createApi({
    baseUrl: settings.baseUrl,
    apiUrl: settings.apiUrl,
    collectorUrl: settings.collectorUrl,
    postgres,
    redis,
    clickhouse,
    outbound: createOutbound({ timeoutMs: outboundTimeoutMs }),
    openDns: dnsOpener(settings.dnsServers),
    languageModel: modelOf(settings),
    summariesPerDay: settings.summariesPerDay,
    vault: createVault(() => ring.keys('envelope')),
    sessionKeys: () => ring.keys('session'),
    tombstoneKey: () => ring.eldest('tombstone').bytes,
    linkTokenKeys: () => (settings.linkTokens ? ring.keys('link_token') : []),
    jobs,
    log,
    metrics,
    tracing,
    now: () => new Date(),
    requestTimeoutMs: settings.requestTimeoutMs,
    trustedProxies: settings.trustedProxies,
    corsOrigins: settings.corsOrigins,
    tls: tlsCertificateFile && tlsKeyFile ? { certificateFile: tlsCertificateFile, keyFile: tlsKeyFile } : undefined,
    passwordMinLength: settings.passwordMinLength,
    sessionDays: settings.sessionDays,
    isCookieSecure: settings.secureCookies,
    swapWindowUntil: settings.swapWindowUntil,
    consoleDirectory,
    isStopping: () => isStopping,
  });
  await api.listen({ host: settings.host, port: settings.port });
  log.say('api listens', { url: settings.baseUrl });
  onStop('api', log, settings.shutdownTimeoutMs, async () => {
    isStopping = true;
    await api.close();
    await tracing?.stop();
    await jobs.close();
    await clickhouse.close();
    await postgres.close();
    redis.disconnect();
  });
}

function modelOf(settings: Settings): LanguageModel | undefined {
  const { modelBaseUrl: baseUrl, modelName: name, modelApiKey: apiKey, modelInPrivateNetwork } = settings;
  if (!baseUrl || !name) return undefined;
  const outbound = createOutbound({
    timeoutMs: modelTimeoutMs,
    maxResponseBytes: modelMaxBytes,
    ...(modelInPrivateNetwork && { policy: localDevelopmentTargets }),
  });
  return createLanguageModel({ baseUrl, name, apiKey, outbound });
}
