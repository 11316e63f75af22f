import { loadSettings } from '@tributary/config';
import { syncs } from '@tributary/domain/advertising/connections/module.ts';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { createPostgres } from '@tributary/postgres';
import { createProviders } from '@tributary/providers';
import { createLog } from '@tributary/telemetry';
import { createWorkMetrics } from '@tributary/telemetry/prometheus.ts';
import { testOutcomeServices, testVault } from '@tributary/testkit';
import { faultOf, startQueueWorker } from '@tributary/work';

/** A worker process for syncs that a drill can kill. It writes its log and its metrics to standard output. */
const [appUrl = '', systemUrl = '', settings = '{}'] = process.argv.slice(2);
const app = createPostgres({ url: appUrl, poolSize: 8 });
const system = createPostgres({ url: systemUrl, poolSize: 4 });
const log = createLog('info', { write: (line) => void process.stdout.write(line) });
const metrics = createWorkMetrics({});
const writeMetrics = async () => void process.stdout.write(await metrics.text());
await writeMetrics();
setInterval(() => void writeMetrics(), 2_000).unref();
startQueueWorker({
  system,
  systemUrl,
  handlers: {
    syncs: syncs({
      app,
      system,
      providers: createProviders(loadSettings(JSON.parse(settings))),
      providerOutbound: createOutbound({ timeoutMs: 10_000, policy: localDevelopmentTargets }),
      vault: testVault,
      outcomes: testOutcomeServices,
      now: () => new Date(),
      random: Math.random,
    }),
  },
  numbers: { leaseSeconds: 3 },
  sweepMs: 1_000,
  blame: () => 'away',
  onFailure({ work, key, error }) {
    metrics.countFailure(work);
    log.failedWork({ work, key, fault: faultOf(error) }, error);
  },
});
process.send?.('ready');
