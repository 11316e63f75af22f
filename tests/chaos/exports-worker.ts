import { exports } from '@tributary/domain/advertising/exports/module.ts';
import { createPersonalDataGate } from '@tributary/operations';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { createPostgres } from '@tributary/postgres';
import { asProvider, createGoogleAds, createMeta, type Providers } from '@tributary/providers';
import { testVault } from '@tributary/testkit';
import { startQueueWorker } from '@tributary/work';

/** A worker that exports outcomes to ad platforms, in a process that a drill can kill. */
const [appUrl = '', systemUrl = '', sandbox = '{}'] = process.argv.slice(2);
const settings = JSON.parse(sandbox) as Record<string, string>;
const setting = (name: string) => settings[name] ?? '';
const app = createPostgres({ url: appUrl, poolSize: 6 });
const system = createPostgres({ url: systemUrl, poolSize: 3 });
const platforms = new Map([
  [
    'social_ads',
    asProvider(
      createMeta({
        clientId: setting('META_CLIENT_ID'),
        clientSecret: setting('META_CLIENT_SECRET'),
        apiUrl: setting('META_API_URL'),
        dialogUrl: setting('META_DIALOG_URL'),
        apiVersion: 'v26.0',
      }),
    ),
  ],
  [
    'search_ads',
    asProvider(
      createGoogleAds({
        clientId: setting('GOOGLE_CLIENT_ID'),
        clientSecret: setting('GOOGLE_CLIENT_SECRET'),
        dialogUrl: setting('GOOGLE_DIALOG_URL'),
        tokenUrl: setting('GOOGLE_TOKEN_URL'),
        developerToken: setting('GOOGLE_ADS_DEVELOPER_TOKEN'),
        adsUrl: setting('GOOGLE_ADS_URL'),
        apiVersion: 'v25',
        dataManagerUrl: setting('GOOGLE_DATA_MANAGER_URL'),
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
