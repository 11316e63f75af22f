import { loadSettings } from '@tributary/config';
import { syncs } from '@tributary/domain/connections/room.ts';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { createPostgres } from '@tributary/postgres';
import { createProviders } from '@tributary/providers';
import { testOutcomeServices, testVault } from '@tributary/testkit';
import { startQueueWorker } from '@tributary/work';

/** A worker that reads providers, so that a drill can kill it. */
const [appUrl = '', systemUrl = '', settings = '{}'] = process.argv.slice(2);
const app = createPostgres({ url: appUrl, poolSize: 8 });
const system = createPostgres({ url: systemUrl, poolSize: 4 });
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
  onFailure: ({ error }) => console.error(error),
});
process.send?.('ready');
