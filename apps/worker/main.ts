import { clickhouseSettings, createClickHouse } from '@tributary/clickhouse';
import { loadSettings, WrongSettings } from '@tributary/config';
import { startAttribution } from '@tributary/domain/attribution/room.ts';
import { startDeliveryCopy } from '@tributary/domain/campaigns/room.ts';
import { startSequencer } from '@tributary/domain/events/room.ts';
import { openIngestion } from '@tributary/domain/ingestion/room.ts';
import { linkTokenReader } from '@tributary/domain/link-tokens/room.ts';
import { markVerified } from '@tributary/domain/tracking/room.ts';
import { createOutbound } from '@tributary/outbound';
import { createPostgres } from '@tributary/postgres';
import { connectStream, streamOptions } from '@tributary/stream';
import { createLog, onStop } from '@tributary/telemetry';
import { createWorkMetrics, serveMetrics } from '@tributary/telemetry/prometheus.ts';
import { createVault, KeyRing, loadKeys } from '@tributary/vault';
import { startJobWorker } from '@tributary/work';
import { consumeVisits } from './consume-visits.ts';
import { workFigures } from './figures.ts';
import { jobHandlers } from './jobs.ts';

/** How late a rotated key is used at the latest. */
const keyRefreshMs = 30_000;

/** The pipeline works on four profiles at once, attribution on three; delivery and jobs run beside them. */
const appConnections = 10;

/** A batch with a customer of thousands of conversions and touches takes its time. */
const attributionTimeoutMs = 100_000;

/**
 * Background work: takes visits from the log, works out attribution, copies what ads did, numbers events, runs jobs. Any number
 * of workers may run side by side.
 */
try {
  const settings = loadSettings(process.env);
  if (!settings.encryptionKeys)
    throw new WrongSettings([
      'ENCRYPTION_KEYS must be set, for example to "k1:" and the output of "openssl rand -base64 32"',
    ]);
  const log = createLog(settings.logLevel);
  const now = () => new Date();
  const onError = (error: unknown) => log.failure(undefined, error);
  const system = createPostgres({ url: settings.databaseSystemUrl, poolSize: settings.databasePoolSize, onError });
  const app = createPostgres({ url: settings.databaseAppUrl, poolSize: appConnections, onError });
  const ring = await new KeyRing(createVault(settings.encryptionKeys), () => loadKeys(app.unbound)).open(
    keyRefreshMs,
    onError,
  );
  const columns = clickhouseSettings(settings);
  const clickhouse = createClickHouse(columns);
  const patient = createClickHouse({ ...columns, requestTimeoutMs: attributionTimeoutMs });
  const stream = await connectStream(streamOptions(settings));
  await stream.ensureStreams();
  const metrics = createWorkMetrics(workFigures(system, stream));
  if (settings.workerMetricsPort !== undefined) await serveMetrics(metrics, settings.host, settings.workerMetricsPort);
  const failing = (work: string) => (error: unknown) => {
    metrics.countFailure(work);
    onError(error);
  };
  const sequencer = startSequencer({ system: system.unbound, now, onError: failing('events') });
  const attribution = startAttribution({ app, system, clickhouse: patient, now, onError: failing('attribution') });
  const delivery = startDeliveryCopy({ app, system, clickhouse, now, onError: failing('delivery') });
  const readLinkToken = linkTokenReader(() => (settings.linkTokens ? ring.keys('link_token') : []));
  const badBytesPerDay = settings.badVisitMegabytesPerDay << 20;
  const ingestion = openIngestion({
    postgres: app,
    clickhouse,
    ring,
    readLinkToken,
    markVerified,
    badBytesPerDay,
    now,
  });
  const jobs = await startJobWorker({
    systemUrl: settings.databaseSystemUrl,
    handlers: jobHandlers({
      app,
      system,
      clickhouse: columns,
      patient,
      stream,
      ingestion,
      now,
      rateSources: { ecb: settings.ecbRatesUrl, bcch: settings.bcchRatesUrl },
      badVisitDays: settings.badVisitDays,
      visitsRetentionDays: settings.visitsRetentionDays,
      outbound: createOutbound({ timeoutMs: 30_000, maxResponseBytes: 1 << 20 }),
    }),
    onError: failing('jobs'),
  });
  const visits = await consumeVisits(stream, ingestion, log, failing('visits'));
  log.say('worker runs');
  onStop('worker', log, settings.shutdownTimeoutMs, async () => {
    await Promise.all([sequencer.stop(), attribution.stop(), delivery.stop(), jobs.stop(), visits.stop()]);
    await stream.close();
    ring.close();
    await Promise.all([app.close(), system.close(), clickhouse.close(), patient.close()]);
  });
} catch (error) {
  console.error(error instanceof WrongSettings ? error.message : error);
  process.exit(1);
}
