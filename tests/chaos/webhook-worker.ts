import { webhooks } from '@tributary/domain/notifications/webhooks/module.ts';
import { startSequencer } from '@tributary/domain/tenancy/events/module.ts';
import { createPersonalDataGate } from '@tributary/operations';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { ledgerUrls, openLedger, testVault } from '@tributary/testkit';
import { homeShard } from '@tributary/vocabulary';
import { startQueueWorker } from '@tributary/work';

/** A worker process that numbers and delivers events, so that a drill can kill it. `speed` is how many times faster its clock runs. */
const [appUrl = '', systemUrl = '', began = '0', speed = '1', timeoutMs = '2000', here = homeShard] =
  process.argv.slice(2);
const app = openLedger(appUrl, 8);
const system = openLedger(systemUrl, 4, here);
const now = () => new Date(Number(began) + (Date.now() - Number(began)) * Number(speed));
startSequencer({ system: system.unbound, now, onError: (error) => console.error(error) });
startQueueWorker({
  system,
  systemUrl: ledgerUrls(systemUrl).get(here) as string,
  handlers: {
    webhooks: webhooks({
      app,
      system,
      outbound: createOutbound({ timeoutMs: Number(timeoutMs), policy: localDevelopmentTargets }),
      vault: testVault,
      gate: createPersonalDataGate(app),
      now,
      random: Math.random,
    }),
  },
  numbers: { leaseSeconds: 5 },
  sweepMs: 2_000,
  blame: () => 'away',
  onFailure: ({ error }) => console.error(error),
});
process.send?.('ready');
