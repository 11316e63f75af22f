import { type Fault, faultsIn } from '../fault.ts';

const meta = ['apps/sandbox/meta'];
const google = ['apps/sandbox/google'];

/** Faults in requests to ad platforms and in reading their responses. */
export const faults: readonly Fault[] = [
  ...faultsIn('packages/providers/meta/money.ts', meta, {
    'budget-in-iso-units': ["  'CLP',\n", '', 'a budget in Chilean pesos is a hundred times too small'],
  }),
  ...faultsIn('packages/providers/meta/insights.ts', meta, {
    'purchase-under-its-narrow-name': [
      "const purchases = ['omni_purchase', 'purchase', 'offsite_conversion.fb_pixel_purchase'];",
      "const purchases = ['lead'];",
      'purchases reported by Meta are lost',
    ],
  }),
  ...faultsIn('packages/providers/meta/faults.ts', meta, {
    'app-limit-stops-one-connection': ["reach: 'app', ", '', "all other connections exceed the app's rate limit"],
    'expired-token-waits': [
      "if (code === 190 || code === 102) return 'reconnect';",
      '',
      'an expired token does not ask anyone to reconnect',
    ],
  }),
  ...faultsIn('packages/providers/meta/export.ts', meta, {
    'old-event-in-the-batch': ["return 'too_old';", 'return undefined;', 'one old event fails the whole batch'],
    'phone-with-plus': ["replace(/\\D/g, '')", "replace(/[^+\\d]/g, '')", 'exported phone numbers match nobody'],
  }),
  ...faultsIn('packages/providers/meta/sync.ts', meta, {
    'restated-days-not-read-again': [
      'restatedDays + daysBetween(restatedOn, today)',
      '2',
      'restatements by the platform are not read',
    ],
  }),
  ...faultsIn('packages/providers/google-ads/faults.ts', google, {
    'developer-limit-stops-one-connection': [
      "quota.rateScope === 'DEVELOPER' ? 'app' : 'connection'",
      "'connection'",
      'all other connections exceed the rate limit of the developer token',
    ],
  }),
  ...faultsIn('packages/providers/google-ads/export.ts', google, {
    'gmail-dots-kept': ["local.replaceAll('.', '')", 'local', 'Gmail addresses with dots match nobody at Google'],
  }),
  {
    id: 'stripe-counts-authorisations',
    file: 'packages/providers/stripe/objects.ts',
    from: "if (!charge.paid || !charge.captured || charge.status !== 'succeeded') return [];",
    to: "if (!charge.paid || charge.status !== 'succeeded') return [];",
    breaks: 'an authorised but uncaptured amount counts as paid',
    tests: ['apps/sandbox/stripe/stripe.test.ts'],
  },
  {
    id: 'windows-are-read-forwards',
    file: 'packages/providers/mercado-pago/sync.ts',
    from: 'for (let page = pages - 1; page >= 1; page -= 1) {',
    to: 'for (let page = 1; page < pages; page += 1) {',
    breaks: 'payments are missed when one changes during the sync',
    tests: ['apps/sandbox/mercado-pago/mercado-pago.test.ts'],
  },
  {
    id: 'highlevel-takes-old-webhooks',
    file: 'packages/providers/highlevel/receive.ts',
    from: 'return Math.abs(now.getTime() - sentAt) <= maxAgeMs;',
    to: 'return sentAt > 0;',
    breaks: 'an intercepted webhook can be replayed forever',
    tests: ['apps/sandbox/highlevel/highlevel.test.ts'],
  },
];
