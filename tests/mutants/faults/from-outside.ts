import { type Fault, faultsIn } from '../fault.ts';

/** Mistakes that a run of `tributary conformance` against the installation notices, each in another section of its report. */
const tests = ['tests/e2e/conformance-from-outside.test.ts'];

export const faults: readonly Fault[] = [
  ...faultsIn('packages/operations/admission.ts', tests, {
    'outside-authentication': [
      'all.every((scope) => caller.scopes.has(scope))',
      'all.every(() => caller.scopes.size > 0)',
      'a key with any scope may do everything',
    ],
  }),
  ...faultsIn('packages/vocabulary/limits.ts', tests, {
    'outside-limits': [
      'customerList: { pageSize: { min: 1, default: 10, max: 100 } }',
      'customerList: { pageSize: { min: 1, default: 10, max: 1_000 } }',
      'the customer list has more rows a page than the specification allows',
    ],
    'outside-hand-offs': ['lifeMinutes: 45,', 'lifeMinutes: 60,', 'a link to connect an account lives for an hour'],
  }),
  ...faultsIn('packages/operations/idempotency.ts', tests, {
    'outside-idempotency': [
      'if (!row.fingerprint.equals(request.fingerprint)) {',
      'if (row.fingerprint.length === 0) {',
      'another request under the same Idempotency-Key gets the first response',
    ],
  }),
  ...faultsIn('packages/clickhouse/parts/weigh_time_decay.sql', tests, {
    'outside-attribution': [
      'intDiv(age, 10080) + 5), ages) AS weights',
      'intDiv(age, 1440) + 5), ages) AS weights',
      'time decay halves a touch by the day',
    ],
  }),
  ...faultsIn('domain/commerce/customers/open-customers.ts', tests, {
    'outside-erasures': [
      'erasedAt ? [[identifierKey(one)',
      "erasedAt === '' ? [[identifierKey(one)",
      'the next event under an erased key brings the customer back',
    ],
  }),
  ...faultsIn('domain/commerce/link-tokens/create-link-tokens.ts', tests, {
    'outside-link-tokens': [
      "parsed.invalid : isErased ? 'erased' : 'no_match'",
      "parsed.invalid : 'no_match'",
      'an erased customer looks like one that never was',
    ],
  }),
  ...faultsIn('domain/notifications/webhooks/delivery/signature.ts', tests, {
    'outside-webhooks': [
      'const signed = `${id}.${timestamp}.${body}`;',
      'const signed = `${timestamp}.${body}`;',
      'no receiver can verify a delivery',
    ],
  }),
  ...faultsIn('domain/notifications/webhooks/delivery/permission.ts', tests, {
    'outside-events': [
      "seesPeople: scopes.has('customers:read') };",
      'seesPeople: scopes.size > 0 };',
      'apps whose grant does not cover people are sent contacts',
    ],
  }),
  ...faultsIn('domain/commerce/payments/create-payment-refund.ts', tests, {
    'outside-payments': [
      'compareAmounts(amount, left) > 0)',
      'compareAmounts(amount, payment.amount) > 0)',
      'more is refunded than the provider has left',
    ],
  }),
];
