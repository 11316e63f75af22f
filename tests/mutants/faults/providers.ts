import { type Fault, faultsIn } from '../fault.ts';

const meta = ['apps/sandbox/meta'];
const google = ['apps/sandbox/google'];

/** Of what is heard from ad platforms and told to them. */
export const faults: readonly Fault[] = [
  ...faultsIn('packages/providers/meta/money.ts', meta, {
    'budget-in-iso-units': ["  'CLP',\n", '', 'a budget in Chilean pesos is a hundred times too small'],
  }),
  ...faultsIn('packages/providers/meta/insights.ts', meta, {
    'purchase-under-its-narrow-name': [
      "const purchases = ['omni_purchase', 'purchase', 'offsite_conversion.fb_pixel_purchase'];",
      "const purchases = ['lead'];",
      'what Meta claims is lost',
    ],
  }),
  ...faultsIn('packages/providers/meta/faults.ts', meta, {
    'app-limit-stops-one-connection': ["reach: 'app', ", '', 'all other connections run into the limit of the app'],
    'expired-token-waits': [
      "if (code === 190 || code === 102) return 'reconnect';",
      '',
      'nobody is asked to consent again',
    ],
  }),
  ...faultsIn('packages/providers/meta/export.ts', meta, {
    'old-event-in-the-batch': ["return 'too_old';", 'return undefined;', 'one old event costs the whole batch'],
    'phone-with-plus': ["replace(/\\D/g, '')", "replace(/[^+\\d]/g, '')", 'no phone number matches anybody'],
  }),
  ...faultsIn('packages/providers/meta/sync.ts', meta, {
    'restated-days-not-read-again': [
      'restatedDays + daysBetween(restatedOn, today)',
      '2',
      'late conversions are never seen',
    ],
  }),
  ...faultsIn('packages/providers/google-ads/faults.ts', google, {
    'developer-limit-stops-one-connection': [
      "quota.rateScope === 'DEVELOPER' ? 'app' : 'connection'",
      "'connection'",
      'all other connections run into the limit of the developer token',
    ],
  }),
  ...faultsIn('packages/providers/google-ads/export.ts', google, {
    'gmail-dots-kept': ["local.replaceAll('.', '')", 'local', 'addresses with dots match nobody at Google'],
  }),
  {
    id: 'stripe-counts-authorisations',
    file: 'packages/providers/stripe/objects.ts',
    from: "if (!charge.paid || !charge.captured || charge.status !== 'succeeded') return [];",
    to: "if (!charge.paid || charge.status !== 'succeeded') return [];",
    breaks: 'money that was only held counts as paid',
    tests: ['apps/sandbox/stripe/stripe.test.ts'],
  },
  {
    id: 'windows-are-read-forwards',
    file: 'packages/providers/mercado-pago/sync.ts',
    from: 'for (let page = pages - 1; page >= 1; page -= 1) {',
    to: 'for (let page = 1; page < pages; page += 1) {',
    breaks: 'payments behind one that changed meanwhile are missed',
    tests: ['apps/sandbox/mercado-pago/mercado-pago.test.ts'],
  },
  {
    id: 'highlevel-takes-old-webhooks',
    file: 'packages/providers/highlevel/receive.ts',
    from: 'return Math.abs(now.getTime() - sentAt) <= maxAgeMs;',
    to: 'return sentAt > 0;',
    breaks: 'a webhook that was heard once can be sent for ever',
    tests: ['apps/sandbox/highlevel/highlevel.test.ts'],
  },
];
