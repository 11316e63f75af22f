import { expect, test } from 'vitest';
import { decideErasure, type Known } from './erasure.ts';

const receipt = { id: 'r1' };
const other = { id: 'r2' };
const nothing: Known<typeof receipt> = { byRef: undefined, byName: [], isKey: true, customerId: undefined };

test.each<[string, Partial<typeof nothing>, object]>([
  ['nobody of that name', {}, { kind: 'nobody' }],
  ['somebody: erased', { customerId: 'c1' }, { kind: 'erase', customerId: 'c1' }],
  ['the same request again: its receipt', { byRef: receipt, byName: [receipt] }, { kind: 'repeat', receipt }],
  [
    'the same again, though a stranger has the address now: its receipt, and the stranger stays',
    { byRef: receipt, byName: [receipt], isKey: false, customerId: 'c2' },
    { kind: 'repeat', receipt },
  ],
  ['the reference of another customer’s erasure', { byRef: receipt, customerId: 'c1' }, { kind: 'used_for_another' }],
  ['the reference of another, who was erased too', { byRef: receipt, byName: [other] }, { kind: 'used_for_another' }],
  ['the reference of another, for nobody', { byRef: receipt }, { kind: 'used_for_another' }],
  ['a new reference for an erased key: the first receipt', { byName: [receipt, other] }, { kind: 'repeat', receipt }],
  ['a new reference for an erased address: nobody', { byName: [receipt], isKey: false }, { kind: 'nobody' }],
  [
    'a new reference for an erased address that is somebody’s again: erased',
    { byName: [receipt], isKey: false, customerId: 'c2' },
    { kind: 'erase', customerId: 'c2' },
  ],
])('%s', (_, known, decision) => {
  expect(decideErasure({ ...nothing, ...known })).toEqual(decision);
});
