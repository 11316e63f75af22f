import { expect, test } from 'vitest';
import { decideErasure, type ErasureFacts } from './erasure.ts';

const receipt = { id: 'r1' };
const other = { id: 'r2' };
const noFacts: ErasureFacts<typeof receipt> = { byRef: undefined, byName: [], isKey: true, customerId: undefined };

test.each<[string, Partial<typeof noFacts>, object]>([
  ['an unknown identifier: nobody', {}, { kind: 'nobody' }],
  ['a known identifier: erase', { customerId: 'c1' }, { kind: 'erase', customerId: 'c1' }],
  ['a repeated request: its receipt', { byRef: receipt, byName: [receipt] }, { kind: 'repeat', receipt }],
  [
    'a repeated request when another customer has the address now: its receipt, and no erasure',
    { byRef: receipt, byName: [receipt], isKey: false, customerId: 'c2' },
    { kind: 'repeat', receipt },
  ],
  ['the request_ref of another customer’s erasure', { byRef: receipt, customerId: 'c1' }, { kind: 'used_for_another' }],
  [
    'the request_ref of another customer, when both are erased',
    { byRef: receipt, byName: [other] },
    { kind: 'used_for_another' },
  ],
  ['the request_ref of another customer, with an unknown identifier', { byRef: receipt }, { kind: 'used_for_another' }],
  ['a new request_ref for an erased key: the first receipt', { byName: [receipt, other] }, { kind: 'repeat', receipt }],
  ['a new request_ref for an erased address: nobody', { byName: [receipt], isKey: false }, { kind: 'nobody' }],
  [
    'a new request_ref for an erased address with a new customer: erase',
    { byName: [receipt], isKey: false, customerId: 'c2' },
    { kind: 'erase', customerId: 'c2' },
  ],
])('%s', (_, facts, decision) => {
  expect(decideErasure({ ...noFacts, ...facts })).toEqual(decision);
});
