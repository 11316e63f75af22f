import { type Fault, faultsIn } from '../fault.ts';

const tests = ['domain/traffic/partners/partners.test.ts'];

/** Faults in signals from partners about customers. */
export const faults: readonly Fault[] = [
  ...faultsIn('domain/traffic/partners/create-declared-source.ts', tests, {
    'second-answer-counts': [
      "if (first) return respond('kept_first', first);",
      '',
      "a customer's second survey answer fails instead of keeping the first",
    ],
    'answer-credits-nothing': [
      'await markTouchedCustomers(tx, profileId, [{ customerId, at }]);',
      '',
      'purchases after a survey answer are not attributed again',
    ],
  }),
  ...faultsIn('domain/traffic/partners/resolve-customers.ts', tests, {
    'reference-makes-somebody': [
      'return found.isNew && isReferenceAlone ? refuseUnknown() : found;',
      'return found;',
      'a misspelt reference creates a customer',
    ],
  }),
  ...faultsIn('packages/rules/attribution/path.ts', ['tests/parity/parity.test.ts'], {
    'answer-beside-its-visit': [
      '  if (reported.medium === declaredMedium && visit.source === reported.source) return true;\n',
      '',
      'a declared source earns credit besides the visit from the same source',
    ],
  }),
];
