import { type Fault, faultsIn } from '../fault.ts';

/** Faults in the SDK and the CLI. */
export const faults: readonly Fault[] = [
  ...faultsIn('packages/sdk/client.ts', ['packages/sdk/client.test.ts'], {
    'payments-sent-twice': [
      'const isRepeatable = operation.isRepeatable || request.idempotencyKey !== undefined;',
      'const isRepeatable = true;',
      'a request without a key is sent again after its response was lost',
    ],
    'sdk-ignores-retry-after': [
      'Math.max(backoffMs, (outcome.retryAfter ?? 0) * 1_000)',
      'backoffMs',
      'the SDK retries sooner than Retry-After allows',
    ],
    'dot-segments-pass': [
      'if (/^\\.{0,2}$/.test(value)) throw',
      "if (value === '') throw",
      'an id of ".." reaches another route',
    ],
    'one-key-for-all': [
      "byte.toString(16).padStart(2, '0')",
      "'00'",
      'all requests share the same generated Idempotency-Key',
    ],
    'same-page-for-ever': [
      'cursor === null || cursor === lastCursor',
      'cursor === null',
      'iterating over a list never ends',
    ],
    'cookie-forms': [
      '...((body !== undefined || needsJsonType) && {',
      '...(body !== undefined && {',
      'the API rejects a change without a body from the console',
    ],
  }),
  ...faultsIn('apps/cli/csv-file.ts', ['apps/cli/import.test.ts', 'apps/cli/spend.test.ts'], {
    'rows-sent-again': ['if (seen <= before.rows) continue;', '', 'a resumed import starts again from the first row'],
    'row-skipped': [
      'if (seen <= before.rows) continue;',
      'if (seen <= before.rows + 1) continue;',
      'an import skips its first row',
    ],
    'shifted-cells': [
      'if (record.length !== names.length) return {};',
      '',
      'a row with an extra cell is read with shifted columns',
    ],
    'strange-columns-taken': ['if (stranger !== undefined)', 'if (false)', 'a misspelt column is ignored'],
  }),
  ...faultsIn('apps/cli/formats/shopify.ts', ['apps/cli/formats/formats.test.ts'], {
    'unpaid-orders-count': [
      "if (!wasPaid.has(String(order['financial status']).toLowerCase())) return [];",
      '',
      'unpaid orders are imported as payments',
    ],
  }),
  ...faultsIn('apps/cli/commands/rates.ts', ['apps/cli/rates.test.ts'], {
    'bad-rates-skipped': [
      'throw new Error(`Line ${info.lines} is no rate. One looks like "2026-05-04,CLP,951.23".`);',
      'continue;',
      'an invalid line in a rates file is skipped silently',
    ],
    'imported-as-a-bank': [
      "saveRates(shard, 'file', quotes)",
      "saveRates(shard, 'ecb', quotes)",
      "the central bank's rates overwrite the operator's own file",
    ],
    'old-payments-unpriced': [
      'for (const shard of shards) converted += await priceOutcomes(app, shard, new AbortController().signal);',
      '',
      'payments that waited for an exchange rate are not converted',
    ],
  }),
];
