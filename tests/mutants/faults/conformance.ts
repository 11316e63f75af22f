import { type Fault, faultsIn } from '../fault.ts';

/** Faults that `tributary conformance` notices when it runs against the installation, each in another section of its report. */
const tests = ['tests/e2e/conformance-from-outside.test.ts'];

export const faults: readonly Fault[] = [
  ...faultsIn('packages/operations/admission.ts', tests, {
    'outside-authentication': [
      'all.every((scope) => caller.scopes.has(scope))',
      'all.every(() => caller.scopes.size > 0)',
      'a key with any scope can call every operation',
    ],
  }),
  ...faultsIn('packages/vocabulary/limits.ts', tests, {
    'outside-limits': [
      'customerList: { pageSize: { min: 1, default: 10, max: 100 } }',
      'customerList: { pageSize: { min: 1, default: 10, max: 1_000 } }',
      'the customer list allows more rows per page than the specification',
    ],
    'outside-hand-offs': [
      'lifeMinutes: 45,',
      'lifeMinutes: 60,',
      'a link to connect an account is valid for an hour instead of 45 minutes',
    ],
  }),
  ...faultsIn('packages/operations/idempotency.ts', tests, {
    'outside-idempotency': [
      'if (!row.fingerprint.equals(request.fingerprint)) {',
      'if (row.fingerprint.length === 0) {',
      'a different request with the same Idempotency-Key gets the first response',
    ],
  }),
  ...faultsIn('packages/clickhouse/parts/weigh_time_decay.sql', tests, {
    'outside-attribution': [
      'intDiv(age, 10080) + 5), ages) AS weights',
      'intDiv(age, 1440) + 5), ages) AS weights',
      'time decay halves the weight of a touch each day',
    ],
  }),
  ...faultsIn('domain/commerce/customers/open-customers.ts', tests, {
    'outside-erasures': [
      'erasedAt ? [[identifierKey(one)',
      "erasedAt === '' ? [[identifierKey(one)",
      'the next event with an erased key recreates the customer',
    ],
  }),
  ...faultsIn('domain/commerce/link-tokens/create-link-tokens.ts', tests, {
    'outside-link-tokens': [
      "parsed.invalid : isErased ? 'erased' : 'no_match'",
      "parsed.invalid : 'no_match'",
      'an erased customer is reported as not found',
    ],
  }),
  ...faultsIn('domain/notifications/webhooks/delivery/signature.ts', tests, {
    'outside-webhooks': [
      'const signed = `${id}.${timestamp}.${body}`;',
      'const signed = `${timestamp}.${body}`;',
      'receivers cannot verify the signature of a delivery',
    ],
  }),
  ...faultsIn('domain/notifications/webhooks/delivery/permission.ts', tests, {
    'outside-events': [
      "seesPeople: scopes.has('customers:read') };",
      'seesPeople: scopes.size > 0 };',
      'apps whose grant does not cover customers receive contacts',
    ],
  }),
  ...faultsIn('domain/commerce/payments/create-payment-refund.ts', tests, {
    'outside-payments': [
      'compareAmounts(amount, left) > 0)',
      'compareAmounts(amount, payment.amount) > 0)',
      'a refund can exceed the amount left of the payment',
    ],
  }),
];
