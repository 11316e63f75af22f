import type { Fault } from '../fault.ts';

export const faults: readonly Fault[] = [
  {
    id: 'identifiers-not-buried',
    file: 'domain/privacy/erasures/erase-customer.ts',
    from: '    ...identifiers.map(nameOfIdentifier),\n',
    to: '',
    breaks: 'an erased address is stored again with the next event',
    tests: ['domain/privacy/erasures'],
  },
];
