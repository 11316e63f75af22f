import { syncs } from '@tributary/domain/advertising/connections/module.ts';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { createPostgres } from '@tributary/postgres';
import { testOutcomeServices, testVault } from '@tributary/testkit';
import { startQueueWorker } from '@tributary/work';
import { Toy } from '../../domain/advertising/connections/toy.fixture.ts';

/** A worker whose clock the drill moves. It responds to each new time with its memory and CPU usage so far. */
const [appUrl = '', systemUrl = '', toyUrl = ''] = process.argv.slice(2);
const app = createPostgres({ url: appUrl, poolSize: 16 });
const system = createPostgres({ url: systemUrl, poolSize: 4 });
const toy = new Toy();
toy.url = toyUrl;
let aheadMs = 0;
startQueueWorker({
  system,
  systemUrl,
  handlers: {
    syncs: syncs({
      app,
      system,
      providers: toy.providers('social_ads'),
      providerOutbound: createOutbound({ timeoutMs: 10_000, policy: localDevelopmentTargets }),
      vault: testVault,
      outcomes: testOutcomeServices,
      now: () => new Date(Date.now() + aheadMs),
      random: Math.random,
    }),
  },
  sweepMs: 1_000,
  blame: () => 'away',
  onFailure: ({ error }) => console.error(error),
});
process.on('message', ({ at }: { at: number }) => {
  aheadMs = Math.max(0, at - Date.now());
  const { user, system: kernel } = process.cpuUsage();
  process.send?.({ megabytes: process.memoryUsage().rss / 2 ** 20, cpuSeconds: (user + kernel) / 1e6 });
});
process.send?.('ready');
