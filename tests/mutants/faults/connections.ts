import { type Fault, faultsIn } from '../fault.ts';

const tests = ['domain/advertising/connections/sync.test.ts', 'domain/advertising/connections/doors.test.ts'];

/** Faults in the syncs of providers and in storing their records. */
export const faults: readonly Fault[] = [
  ...faultsIn('domain/advertising/connections/store.ts', tests, {
    'credentials-replaced-by-two': [
      'AND refresh_until <= now()',
      '',
      'two workers use one refresh token, and the second one is rejected',
    ],
  }),
  ...faultsIn('domain/advertising/connections/apply-fault.ts', tests, {
    'old-fault-hits-new-consent': [
      'if (connection.credentials_revision !== revision) return;',
      '',
      'a connection that was just reconnected is marked as broken',
    ],
    'silence-not-told': [
      "if (status === 'reconnect_required') {",
      'if (false) {',
      'nobody is notified when a connection needs to be reconnected',
    ],
  }),
  ...faultsIn('domain/advertising/connections/sync-store.ts', tests, {
    'given-up-run-writes': [
      'connection_id = ${connectionId} AND run = ${number}`;',
      'connection_id = ${connectionId}`;',
      'a stalled worker overwrites a newer sync cursor',
    ],
    'app-limit-forgotten': [
      'AND p.until > ${now}',
      'AND false',
      "every other connection runs into the app's rate limit",
    ],
  }),
  ...faultsIn('domain/advertising/connections/apply-provider-records.ts', tests, {
    'ignored-stage-counts': [
      "eventKey === undefined || eventKey === 'ignored' ||",
      'eventKey === undefined ||',
      'a deal in an ignored stage is recorded',
    ],
  }),
  ...faultsIn(
    'domain/advertising/connections/apply-provider-records.ts',
    ['domain/advertising/connections/integrations/integrations.test.ts'],
    {
      'sale-told-twice': [
        '!processedBy.some((one) => activeChannels.includes(one))',
        'activeChannels.length >= processedBy.length * 0',
        'an order counts in addition to the payment from a connected provider',
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
        'only the first refunds of an order are read',
      ],
    },
  ),
];
