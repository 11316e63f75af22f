import { configuredModel } from '@tributary/ai-model';
import type { Settings } from '@tributary/config';
import { consoleDirectory } from '@tributary/console/build.ts';
import { dnsOpener } from '@tributary/domain/traffic/tracking/module.ts';
import { createOutbound } from '@tributary/outbound';
import { runProcess } from '@tributary/platform';
import { createProviders } from '@tributary/providers';
import { clockFigures, openMetrics, type Tracing } from '@tributary/telemetry';
import { limits } from '@tributary/vocabulary';
import { docsDirectory } from '../docs/build.ts';
import { createApi } from './app.ts';

/** Shorter than the request timeout, so that a caller learns that ClickHouse is down. */
const clickhouseTimeoutMs = 15_000;

/** Models are slow, but their timeout must be shorter than the request's. */
const modelTimeoutMs = 25_000;

/** The timeout of one provider call while a caller waits. */
const providerTimeoutMs = 15_000;

/** The timeout for fetching one page that a user named. */
const outboundTimeoutMs = 8_000;

await runProcess('api', async (platform) => {
  const { settings, log, now } = platform;
  const { tlsCertificateFile, tlsKeyFile } = settings;
  const postgres = await platform.postgres('app', { poolSize: settings.databasePoolSize });
  const ring = await platform.keys(postgres);
  const tracing = await openTracing(settings);
  const metrics = await openMetrics(settings.host, settings.metricsPort, clockFigures(platform.clockSkewMs));
  let isStopping = false;
  const api = await createApi({
    baseUrl: settings.baseUrl,
    apiUrl: settings.apiUrl,
    collectorUrl: settings.collectorUrl,
    postgres,
    connections: settings.databasePoolSize,
    redis: await platform.redis(),
    clickhouse: await platform.clickhouse({ requestTimeoutMs: clickhouseTimeoutMs }),
    outbound: createOutbound({ timeoutMs: outboundTimeoutMs }),
    webhookTargets: createOutbound({ timeoutMs: outboundTimeoutMs, localHosts: settings.webhookLocalHosts }),
    providers: createProviders(settings),
    providerOutbound: createOutbound({ timeoutMs: providerTimeoutMs, localHosts: settings.providerLocalHosts }),
    openDns: dnsOpener(settings.dnsServers),
    languageModel: configuredModel(settings, modelTimeoutMs),
    summariesPerDay: settings.summariesPerDay,
    isMailSetUp: settings.smtpUrl !== undefined,
    adPatienceMs: settings.adPatienceSeconds * 1_000,
    attributionWaitMs: limits.payments.attributionWaitMs,
    vault: ring.envelope(),
    sessionKeys: () => ring.keys('session'),
    tombstoneKey: () => ring.eldest('tombstone').bytes,
    linkTokenKeys: () => (settings.linkTokens ? ring.keys('link_token') : []),
    jobs: await platform.jobs(),
    log,
    metrics,
    tracing,
    now,
    clockSkewMs: platform.clockSkewMs,
    testClock: platform.testClock,
    requestTimeoutMs: settings.requestTimeoutMs,
    trustedProxies: settings.trustedProxies,
    corsOrigins: settings.corsOrigins,
    tls: tlsCertificateFile && tlsKeyFile ? { certificateFile: tlsCertificateFile, keyFile: tlsKeyFile } : undefined,
    passwordMinLength: settings.passwordMinLength,
    sessionDays: settings.sessionDays,
    sessionIdleMinutes: settings.sessionIdleMinutes,
    isCookieSecure: settings.secureCookies,
    swapWindowUntil: settings.swapWindowUntil,
    consoleDirectory,
    docsDirectory,
    checkAnswers: false,
    isStopping: () => isStopping,
  });
  await api.listen({ host: settings.host, port: settings.port });
  return {
    words: 'api listens',
    facts: { url: settings.baseUrl },
    leave() {
      isStopping = true;
    },
    async stop() {
      await api.close();
      await tracing?.stop();
    },
  };
});

/** The tracing library is loaded only if an OTLP endpoint is configured. */
async function openTracing({ otlpEndpoint }: Settings): Promise<Tracing | undefined> {
  if (!otlpEndpoint) return undefined;
  const { createTracing } = await import('@tributary/telemetry/tracing.ts');
  return createTracing(otlpEndpoint, 'tributary-api');
}
