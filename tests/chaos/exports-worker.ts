import { exports } from '@tributary/domain/advertising/exports/module.ts';
import { createPersonalDataGate } from '@tributary/operations';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { createPostgres } from '@tributary/postgres';
import { asProvider, createGoogleAds, createMeta, type Providers } from '@tributary/providers';
import { testVault } from '@tributary/testkit';
import { startQueueWorker } from '@tributary/work';

/** A worker that tells platforms of outcomes, so that a drill can kill it. */
const [appUrl = '', systemUrl = '', sandbox = '{}'] = process.argv.slice(2);
const settings = JSON.parse(sandbox) as Record<string, string>;
const of = (name: string) => settings[name] ?? '';
const app = createPostgres({ url: appUrl, poolSize: 6 });
const system = createPostgres({ url: systemUrl, poolSize: 3 });
const platforms = new Map([
  [
    'social_ads',
    asProvider(
      createMeta({
        clientId: of('META_CLIENT_ID'),
        clientSecret: of('META_CLIENT_SECRET'),
        apiUrl: of('META_API_URL'),
        dialogUrl: of('META_DIALOG_URL'),
        apiVersion: 'v26.0',
      }),
    ),
  ],
  [
    'search_ads',
    asProvider(
      createGoogleAds({
        clientId: of('GOOGLE_CLIENT_ID'),
        clientSecret: of('GOOGLE_CLIENT_SECRET'),
        dialogUrl: of('GOOGLE_DIALOG_URL'),
        tokenUrl: of('GOOGLE_TOKEN_URL'),
        developerToken: of('GOOGLE_ADS_DEVELOPER_TOKEN'),
        adsUrl: of('GOOGLE_ADS_URL'),
        apiVersion: 'v25',
        dataManagerUrl: of('GOOGLE_DATA_MANAGER_URL'),
      }),
    ),
  ],
]);
const providers: Providers = { of: (channel) => platforms.get(channel) };
startQueueWorker({
  system,
  systemUrl,
  handlers: {
    exports: exports({
      app,
      vault: testVault,
      providers,
      providerOutbound: createOutbound({ timeoutMs: 4_000, policy: localDevelopmentTargets }),
      gate: createPersonalDataGate(app),
      now: () => new Date(),
    }),
  },
  numbers: { leaseSeconds: 3 },
  sweepMs: 200,
  blame: () => 'away',
  onFailure: ({ error }) => console.error(error),
});
process.send?.('ready');
