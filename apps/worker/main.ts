import { clickhouseSettings, createClickHouse } from '@tributary/clickhouse';
import { loadSettings, WrongSettings } from '@tributary/config';
import { startAttribution } from '@tributary/domain/attribution';
import { startJobWorker } from '@tributary/jobs';
import { createOutbound } from '@tributary/outbound';
import { createPostgres, startSequencer } from '@tributary/postgres';
import { createLog, onStop } from '@tributary/runtime';
import { jobHandlers } from './jobs.ts';

/** A batch with a customer of thousands of conversions and touches takes its time. */
const attributionTimeoutMs = 100_000;

/** Background work: numbers events, works out attribution, runs jobs. Any number of workers may run side by side. */
try {
  const settings = loadSettings(process.env);
  const log = createLog(settings.logLevel);
  const now = () => new Date();
  const onError = (error: unknown) => log.failure(undefined, error);
  const system = createPostgres({ url: settings.databaseSystemUrl, poolSize: settings.databasePoolSize, onError });
  const app = createPostgres({ url: settings.databaseAppUrl, poolSize: 4, onError });
  const sequencer = startSequencer({ system: system.unbound, now, onError });
  const clickhouse = createClickHouse({ ...clickhouseSettings(settings), requestTimeoutMs: attributionTimeoutMs });
  const attribution = startAttribution({ app, system, clickhouse, now, onError });
  const jobs = await startJobWorker({
    systemUrl: settings.databaseSystemUrl,
    handlers: jobHandlers({
      app,
      system,
      clickhouse: clickhouseSettings(settings),
      now,
      rateSources: { ecb: settings.ecbRatesUrl, bcch: settings.bcchRatesUrl },
      outbound: createOutbound({ timeoutMs: 30_000, maxResponseBytes: 1 << 20 }),
    }),
    onError,
  });
  log.say('worker runs');
  onStop('worker', log, settings.shutdownTimeoutMs, async () => {
    await Promise.all([sequencer.stop(), attribution.stop(), jobs.stop()]);
    await Promise.all([app.close(), system.close(), clickhouse.close()]);
  });
} catch (error) {
  console.error(error instanceof WrongSettings ? error.message : error);
  process.exit(1);
}
