import { type Fault, faultsIn } from '../fault.ts';

const tests = ['domain/traffic/partners/partners.test.ts'];

/** Of what partners tell of customers. */
export const faults: readonly Fault[] = [
  ...faultsIn('domain/traffic/partners/create-declared-source.ts', tests, {
    'second-answer-counts': [
      "if (first) return respond('kept_first', first);",
      '',
      'a customer who is asked twice is refused by the table in place of keeping the first answer',
    ],
    'answer-credits-nothing': [
      'await markTouchedCustomers(tx, profileId, [{ customerId, at }]);',
      '',
      'what a customer bought after an answer is not credited anew',
    ],
  }),
  ...faultsIn('domain/traffic/partners/resolve-customers.ts', tests, {
    'reference-makes-somebody': [
      'return found.isNew && isReferenceAlone ? refuseUnknown() : found;',
      'return found;',
      'a typing error in a reference makes a customer',
    ],
  }),
  ...faultsIn('packages/rules/attribution/path.ts', ['tests/parity/parity.test.ts'], {
    'answer-beside-its-visit': [
      '  if (reported.medium === declaredMedium && visit.source === reported.source) return true;\n',
      '',
      'what a customer says to have come by earns beside the visit that came so',
    ],
  }),
];
