import { configuredModel } from '@tributary/ai-model';
import { clickhouseSettings } from '@tributary/clickhouse';
import { findAdPlatforms } from '@tributary/domain/advertising/campaigns/module.ts';
import { tombstonesUnder } from '@tributary/domain/commerce/customers/module.ts';
import { createLinkTokenReader } from '@tributary/domain/commerce/link-tokens/module.ts';
import { paymentStandings } from '@tributary/domain/commerce/payments/module.ts';
import { startSequencer } from '@tributary/domain/tenancy/events/module.ts';
import { openIngestion, visitorLinks } from '@tributary/domain/traffic/ingestion/module.ts';
import { markVerified, signingReader } from '@tributary/domain/traffic/tracking/module.ts';
import { createPersonalDataGate } from '@tributary/operations';
import { createMailer, createOutbound } from '@tributary/outbound';
import { findBackupFolder, keepsNotes, runProcess } from '@tributary/platform';
import { createProviders } from '@tributary/providers';
import { clockFigures } from '@tributary/telemetry';
import { createWorkMetrics, serveMetrics } from '@tributary/telemetry/prometheus.ts';
import { createOpener } from '@tributary/vault';
import { limits } from '@tributary/vocabulary';
import { faultOf, startJobWorker, startQueueWorker, type WorkFailure } from '@tributary/work';
import { blame } from './classify-failure.ts';
import { consumeVisits } from './consume-visits.ts';
import { consumeWebhooks } from './consume-webhooks.ts';
import { workFigures } from './figures.ts';
import { jobHandlers } from './jobs.ts';
import { queueHandlers } from './queues.ts';

/** Concurrency: four profiles in the pipeline, four in the queues and eight provider webhooks, plus background jobs. */
const appConnections = 16;

/** A batch with customers of thousands of conversions and touches takes long. */
const attributionTimeoutMs = 100_000;

/** No caller waits for a job's request to a model. */
const modelTimeoutMs = 60_000;

/** Only the status of a receiver's response matters; the rest is not read. */
const webhookAnswerBytes = 16_384;

/**
 * Background work: consumes visits, processes queues, sequences events and runs jobs. Any number of workers may run side by side.
 */
await runProcess('worker', async (platform) => {
  const { settings, log, now, onError } = platform;
  const system = await platform.postgres('system', { poolSize: settings.databasePoolSize });
  const app = await platform.postgres('app', { poolSize: appConnections });
  const ring = await platform.keys(app);
  const clickhouse = await platform.clickhouse();
  const patient = await platform.clickhouse({ requestTimeoutMs: attributionTimeoutMs });
  const stream = await platform.stream();
  await stream.ensureStreams();
  await stream.ensureWorkStreams();
  const backups = findBackupFolder(settings);
  const metrics = createWorkMetrics({ ...workFigures(system, stream, backups), ...clockFigures(platform.clockSkewMs) });
  if (settings.workerMetricsPort !== undefined) await serveMetrics(metrics, settings.host, settings.workerMetricsPort);
  const onFailure = ({ work, key, error }: WorkFailure) => {
    metrics.countFailure(work);
    log.failedWork({ work, key, fault: faultOf(error) }, error);
  };
  const reportFailure = (work: string) => (error: unknown) => onFailure({ work, key: undefined, error });
  const vault = ring.envelope();
  const webhookOutbound = createOutbound({
    timeoutMs: limits.webhooks.timeoutSeconds * 1_000,
    maxResponseBytes: webhookAnswerBytes,
    localHosts: settings.webhookLocalHosts,
  });
  platform.onClose(() => webhookOutbound.close());
  const { smtpUrl, mailFrom } = settings;
  const mailer = smtpUrl === undefined ? undefined : createMailer({ url: smtpUrl, from: mailFrom });
  platform.onClose(() => mailer?.close());
  const work = {
    app,
    system,
    clickhouse: clickhouseSettings(settings),
    quick: clickhouse,
    patient,
    stream,
    ingestion: openIngestion({
      postgres: app,
      clickhouse,
      ring,
      readLinkToken: createLinkTokenReader(() => (settings.linkTokens ? ring.keys('link_token') : [])),
      markVerified,
      readSigning: signingReader(vault),
      badBytesPerDay: settings.badVisitMegabytesPerDay << 20,
      now,
    }),
    now,
    rateSources: { ecb: settings.ecbRatesUrl, bcch: settings.bcchRatesUrl },
    badVisitDays: settings.badVisitDays,
    visitsRetentionDays: settings.visitsRetentionDays,
    outbound: createOutbound({ timeoutMs: 30_000, maxResponseBytes: 1 << 20 }),
    languageModel: configuredModel(settings, modelTimeoutMs),
    mailing: { mailer, baseUrl: settings.baseUrl },
    syncing: {
      vault,
      providers: createProviders(settings),
      providerOutbound: createOutbound({ timeoutMs: 30_000, localHosts: settings.providerLocalHosts }),
      outcomes: {
        tombstones: tombstonesUnder(() => ring.eldest('tombstone').bytes),
        payments: paymentStandings,
        findAdPlatforms,
        visitors: visitorLinks,
      },
    },
    notes: keepsNotes(backups),
    deliveries: { outbound: webhookOutbound, gate: createPersonalDataGate(app), vault },
  };
  const systemUrl = await platform.ledgerUrl('system');
  const sequencer = startSequencer({ system: system.unbound, now, onError: reportFailure('events') });
  const queues = startQueueWorker({ system, systemUrl, handlers: queueHandlers(work), blame, onFailure });
  const jobs = await startJobWorker({ systemUrl, handlers: jobHandlers(work), onError, onFailure });
  const visits = await consumeVisits(stream, work.ingestion, log, reportFailure('visits'));
  const webhooks = await consumeWebhooks(
    stream,
    {
      ...work.syncing,
      postgres: app,
      streamVault: createOpener(() => ring.keys('stream')),
      refreshKeys: () => ring.refresh(),
      countDropped: metrics.countDroppedWebhook,
      now,
    },
    log,
    reportFailure('provider-webhooks'),
  );
  return {
    words: 'worker runs',
    async stop() {
      await Promise.all([sequencer, queues, jobs, visits, webhooks].map((part) => part.stop()));
    },
  };
});
