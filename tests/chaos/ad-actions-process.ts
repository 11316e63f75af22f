import { adActions } from '@tributary/domain/advertising/ad-operations/module.ts';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { createPostgres } from '@tributary/postgres';
import { metaOf, openApi, type Testkit, testVault } from '@tributary/testkit';
import { startQueueWorker } from '@tributary/work';

/** A process for the drill to kill: the API, which changes ads in the sandbox, or the worker, which checks calls whose response was lost. */
const [role = '', options = '{}'] = process.argv.slice(2);
const { appUrl, systemUrl, redisUrl, redisPrefix, port, sandbox, patienceMs, timeoutMs } = JSON.parse(options);
const app = createPostgres({ url: appUrl, poolSize: 16 });
const providers = metaOf({ settings: sandbox });
const providerOutbound = createOutbound({ timeoutMs, policy: localDevelopmentTargets });
const now = () => new Date();
if (role === 'api') {
  const parts = {
    app,
    redisUrl,
    redisPrefix,
    database: { appUrl },
    clock: { now },
    clickhouseUrl: 'http://127.0.0.1:1',
  };
  const api = await openApi(parts as unknown as Testkit, { providers, providerOutbound, adPatienceMs: patienceMs });
  await api.fastify.listen({ host: '127.0.0.1', port });
} else {
  const system = createPostgres({ url: systemUrl, poolSize: 4 });
  startQueueWorker({
    system,
    systemUrl,
    handlers: { adActions: adActions({ app, vault: testVault, providers, providerOutbound, now }) },
    numbers: { leaseSeconds: 3 },
    sweepMs: 1_000,
    blame: () => 'away',
    onFailure: ({ error }) => console.error(error),
  });
}
process.send?.('ready');
