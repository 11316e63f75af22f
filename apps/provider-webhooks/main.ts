import { openStreamKeys } from '@tributary/collector/stream-keys.ts';
import { runProcess } from '@tributary/platform';
import { createReceivers } from '@tributary/providers';
import { clockFigures, openMetrics } from '@tributary/telemetry';
import { createSealer, KeyRing, loadEnvelopeKeys } from '@tributary/vault';
import { createProviderWebhooks } from './app.ts';

/** How often rotated keys are loaded. */
const keyRefreshMs = 30_000;

await runProcess('provider-webhooks', async (platform) => {
  const { settings, log, now } = platform;
  const lookUps = await platform.lookUps('collector', { poolSize: 4, statementTimeoutMs: 5_000 });
  const streamKeys = await openStreamKeys(lookUps, platform.onError);
  platform.onClose(streamKeys.close);
  const ring = new KeyRing(platform.masterVault(), () => loadEnvelopeKeys(lookUps), now);
  await ring.open(keyRefreshMs, platform.onError);
  platform.onClose(() => ring.close());
  const stream = await platform.stream();
  await stream.ensureWorkStreams();
  const metrics = await openMetrics(settings.host, settings.providerWebhooksMetricsPort, {
    ...clockFigures(platform.clockSkewMs),
    tributary_provider_webhooks_fill: {
      help: 'Fill level of the provider webhook streams, from 0 to 1; a full stream rejects webhooks',
      label: 'stream',
      readEach: {
        webhooks: async () => (await stream.webhooks.fill()).share,
        'unverified-webhooks': async () => (await stream.unverifiedWebhooks.fill()).share,
      },
    },
  });
  let isStopping = false;
  const providerWebhooks = createProviderWebhooks({
    baseUrl: settings.baseUrl,
    lookUps: lookUps.everywhere,
    receivers: createReceivers(settings),
    redis: await platform.redis(),
    stream,
    vault: ring.envelope(),
    sealer: createSealer(streamKeys.keys),
    log,
    metrics,
    now,
    clockSkewMs: platform.clockSkewMs,
    requestTimeoutMs: settings.requestTimeoutMs,
    trustedProxies: settings.trustedProxies,
    isStopping: () => isStopping,
  });
  const port = await providerWebhooks.listen(settings.host, settings.providerWebhooksPort);
  return {
    words: 'provider-webhooks listens',
    facts: { port: String(port) },
    leave() {
      isStopping = true;
    },
    stop: () => providerWebhooks.close(),
  };
});
