import { type Fault, faultsIn } from '../fault.ts';

const tests = ['domain/advertising/connections/sync.test.ts', 'domain/advertising/connections/doors.test.ts'];

/** Of who reads a provider, when, and what is kept of it. */
export const faults: readonly Fault[] = [
  ...faultsIn('domain/advertising/connections/store.ts', tests, {
    'credentials-replaced-by-two': [
      'AND refresh_until <= now()',
      '',
      'two workers use one refresh token, and the second is told that it is none',
    ],
  }),
  ...faultsIn('domain/advertising/connections/apply-fault.ts', tests, {
    'old-fault-hits-new-consent': [
      'if (connection.credentials_revision !== revision) return;',
      '',
      'a connection that was just mended is taken for broken',
    ],
    'silence-not-told': [
      "if (status === 'reconnect_required') {",
      'if (false) {',
      'nobody hears that a connection went silent',
    ],
  }),
  ...faultsIn('domain/advertising/connections/sync-store.ts', tests, {
    'given-up-run-writes': [
      'connection_id = ${connectionId} AND run = ${number}`;',
      'connection_id = ${connectionId}`;',
      'a worker that was asleep writes an old position over a newer one',
    ],
    'app-limit-forgotten': [
      'AND p.until > ${now}',
      'AND false',
      'a limit of the app is met again by every other connection',
    ],
  }),
  ...faultsIn('domain/advertising/connections/apply-provider-records.ts', tests, {
    'ignored-stage-counts': [
      "eventKey === undefined || eventKey === 'ignored' ||",
      'eventKey === undefined ||',
      'a deal in a stage that somebody said to ignore is recorded',
    ],
  }),
  ...faultsIn(
    'domain/advertising/connections/apply-provider-records.ts',
    ['domain/advertising/connections/integrations/integrations.test.ts'],
    {
      'sale-told-twice': [
        '!processedBy.some((one) => activeChannels.includes(one))',
        'activeChannels.length >= processedBy.length * 0',
        'an order counts beside the payment that a connected provider tells of',
      ],
    },
  ),
  ...faultsIn(
    'packages/providers/shopify/sync.ts',
    ['domain/advertising/connections/integrations/integrations.test.ts'],
    {
      'many-transactions-cut': [
        'node.transactions.length < transactionsPerOrder',
        'node.transactions.length <= transactionsPerOrder',
        'of an order with many refunds only the first are known',
      ],
    },
  ),
];
