import { type Fault, faultsIn } from '../fault.ts';

/** Of the SDK and the command. */
export const faults: readonly Fault[] = [
  ...faultsIn('packages/sdk/client.ts', ['packages/sdk/client.test.ts'], {
    'payments-sent-twice': [
      'const isRepeatable = operation.isRepeatable || request.idempotencyKey !== undefined;',
      'const isRepeatable = true;',
      'a request without a key is sent again after a lost answer',
    ],
    'sdk-ignores-retry-after': [
      'Math.max(backoffMs, (outcome.retryAfter ?? 0) * 1_000)',
      'backoffMs',
      'the client knocks sooner than it was asked to',
    ],
    'dot-segments-pass': [
      'if (/^\\.{0,2}$/.test(value)) throw',
      "if (value === '') throw",
      'an id of ".." reaches another route',
    ],
    'one-key-for-all': ["byte.toString(16).padStart(2, '0')", "'00'", 'every change is sent under the same made key'],
    'same-page-for-ever': ['cursor === null || cursor === lastCursor', 'cursor === null', 'a list never ends'],
    'cookie-forms': [
      '...((body !== undefined || needsJsonType) && {',
      '...(body !== undefined && {',
      'a change without a body is refused in the console',
    ],
  }),
  ...faultsIn('apps/cli/csv-file.ts', ['apps/cli/import.test.ts', 'apps/cli/spend.test.ts'], {
    'rows-sent-again': ['if (seen <= before.rows) continue;', '', 'an import that goes on begins anew'],
    'row-skipped': [
      'if (seen <= before.rows) continue;',
      'if (seen <= before.rows + 1) continue;',
      'an import loses its first row',
    ],
    'shifted-cells': [
      'if (record.length !== names.length) return {};',
      '',
      'a row with a cell too many is read by its place',
    ],
    'strange-columns-taken': ['if (stranger !== undefined)', 'if (false)', 'a misspelt column is ignored'],
  }),
  ...faultsIn('apps/cli/formats/shopify.ts', ['apps/cli/formats/formats.test.ts'], {
    'unpaid-orders-count': [
      "if (!wasPaid.has(String(order['financial status']).toLowerCase())) return [];",
      '',
      'orders that nobody paid are imported as payments',
    ],
  }),
  ...faultsIn('apps/cli/commands/rates.ts', ['apps/cli/rates.test.ts'], {
    'bad-rates-skipped': [
      'throw new Error(`Line ${info.lines} is no rate. One looks like "2026-05-04,CLP,951.23".`);',
      'continue;',
      'a wrong line in a file of rates is skipped',
    ],
    'imported-as-a-bank': [
      "saveRates(shard, 'file', quotes)",
      "saveRates(shard, 'ecb', quotes)",
      'a bank overwrites the rates of the own file',
    ],
    'old-payments-unpriced': [
      'for (const shard of shards) converted += await priceOutcomes(app, shard, new AbortController().signal);',
      '',
      'payments that waited for a rate go on waiting',
    ],
  }),
];
