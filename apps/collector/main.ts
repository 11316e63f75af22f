import { runProcess } from '@tributary/platform';
import { listenToAll } from '@tributary/postgres/listen.ts';
import { clockFigures, openMetrics } from '@tributary/telemetry';
import { createSealer } from '@tributary/vault';
import { createCollector } from './app.ts';
import { openStreamKeys } from './stream-keys.ts';

await runProcess('collector', async (platform) => {
  const { settings, log, now } = platform;
  const lookUps = await platform.lookUps('collector', { poolSize: 2, statementTimeoutMs: 5_000 });
  const { keys, close } = await openStreamKeys(lookUps, platform.onError);
  platform.onClose(close);
  const stream = await platform.stream();
  await stream.ensureStreams();
  const metrics = await openMetrics(settings.host, settings.collectorMetricsPort, {
    ...clockFigures(platform.clockSkewMs),
    tributary_visits_log_fill: {
      help: 'How full the visits log is, from 0 to 1; full, it refuses visits',
      read: async () => (await stream.fill()).share,
    },
  });
  let isStopping = false;
  const collector = await createCollector({
    baseUrl: settings.baseUrl,
    lookUps: lookUps.everywhere,
    hearChanges: (channel, hearing) => listenToAll(lookUps.urls, channel, hearing),
    redis: await platform.redis(),
    stream,
    vault: createSealer(keys),
    log,
    metrics,
    now,
    clockSkewMs: platform.clockSkewMs,
    requestTimeoutMs: settings.requestTimeoutMs,
    requestsPerMinute: settings.collectorRequestsPerMinute,
    addressShare: settings.collectorAddressShare / 100,
    trustedProxies: settings.trustedProxies,
    geoDatabaseFile: settings.geoDatabaseFile,
    isStopping: () => isStopping,
  });
  await collector.listen(settings.host, settings.collectorPort);
  return {
    words: 'collector listens',
    facts: { url: settings.collectorUrl },
    leave() {
      isStopping = true;
    },
    stop: () => collector.close(),
  };
});
