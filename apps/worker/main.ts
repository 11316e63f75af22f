import { clickhouseSettings } from '@tributary/clickhouse';
import { loadSettings, WrongSettings } from '@tributary/config';
import { startJobWorker } from '@tributary/jobs';
import { createPostgres, startSequencer } from '@tributary/postgres';
import { createLog, onStop } from '@tributary/runtime';
import { jobHandlers } from './jobs.ts';

/** Background work: numbers events, runs jobs. Any number of workers may run side by side. */
try {
  const settings = loadSettings(process.env);
  const log = createLog(settings.logLevel);
  const now = () => new Date();
  const onError = (error: unknown) => log.failure(undefined, error);
  const system = createPostgres({ url: settings.databaseSystemUrl, poolSize: settings.databasePoolSize, onError });
  const app = createPostgres({ url: settings.databaseAppUrl, poolSize: 2, onError });
  const sequencer = startSequencer({ system: system.unbound, now, onError });
  const jobs = await startJobWorker({
    systemUrl: settings.databaseSystemUrl,
    handlers: jobHandlers({ app, system, clickhouse: clickhouseSettings(settings), now }),
    onError,
  });
  log.say('worker runs');
  onStop('worker', log, settings.shutdownTimeoutMs, async () => {
    await Promise.all([sequencer.stop(), jobs.stop()]);
    await Promise.all([app.close(), system.close()]);
  });
} catch (error) {
  console.error(error instanceof WrongSettings ? error.message : error);
  process.exit(1);
}
