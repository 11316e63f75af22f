import { expect, test } from 'vitest';
import { isOfErased, withoutErased } from './erased.ts';
import { type Identifier, identifierKey } from './identity.ts';

const key: Identifier = { kind: 'external_customer_id', value: 'c-1' };
const email: Identifier = { kind: 'email', value: 'ana@example.cl' };
const phone: Identifier = { kind: 'phone', value: '+56912345678' };
const other: Identifier = { kind: 'phone', value: '+56987654321' };
const unknown: Identifier = { kind: 'email', value: 'unknown@example.cl' };
const brother: Identifier = { kind: 'email', value: 'brother@example.cl' };
const erasedAt = new Date('2026-06-15T12:00:00Z');
const lead: Identifier = { kind: 'phone', value: '+56911112222' };
const brothers: Identifier = { kind: 'phone', value: '+56933334444' };
const brothersKey: Identifier = { kind: 'external_customer_id', value: 'c-2' };
const newKey: Identifier = { kind: 'external_customer_id', value: 'c-3' };
const graves = {
  erased: new Map(
    [key, email, phone, lead].map(
      (one) => [identifierKey(one), { erasedAt, wasStrong: one !== lead, wasKeyed: one !== lead }] as const,
    ),
  ),
  holderOf: (one: Identifier) => {
    if (one === brothersKey) return { isStrong: true, isKeyed: true };
    return [brother, brothers].includes(one) ? { isStrong: true, isKeyed: false } : undefined;
  },
};
const before = new Date('2026-06-15T12:00:00Z');
const after = new Date('2026-06-15T12:00:00.001Z');

test.each<[string, Identifier[], Date | undefined, Identifier[]]>([
  ['of nobody erased: all of it', [other], before, [other]],
  ['dated before, by an erased address: nobody, by none of its names', [email, other], before, []],
  ['dated before, by an erased key', [key], before, []],
  ['dated before, by an erased phone alone', [phone], before, []],
  ['dated before, by an erased lead’s phone and an address that nobody holds', [lead, unknown], before, []],
  [
    'dated before, by the phone of somebody erased who had an address, and another that nobody holds: whoever that is of',
    [phone, unknown],
    before,
    [unknown],
  ],
  ['dated before, by a phone that was shared: whoever holds the address', [phone, brother], before, [brother]],
  ['dated before, by an erased lead’s phone: whoever holds the address', [lead, brother], before, [brother]],
  ['dated before, by an erased address and somebody else’s', [email, brother], before, []],
  [
    'dated before, by an erased address and the key of another customer: that customer',
    [brothersKey, email],
    before,
    [brothersKey],
  ],
  ['dated before, by the address of an erased key and a new key: a new customer', [newKey, email], before, [newKey]],
  ['dated before, by an erased lead’s phone and a new key', [newKey, lead], before, []],
  ['dated after: the address is a stranger’s', [email, phone], after, [email, phone]],
  ['dated after, by the key: the key alone is left out', [key, email], after, [email]],
  ['dated after, by nothing but the key: nobody', [key], after, []],
  ['dated after, by the key and a phone that somebody else has: nobody', [key, brothers], after, []],
  ['dated after, by the key and a phone that nobody has: a stranger', [key, other], after, [other]],
  ['not dated: said now', [key, email], undefined, [email]],
])('a message %s', (_, said, at, left) => {
  expect(withoutErased(said, at, graves)).toEqual(left);
});

test('only what is dated before is of the erased', () => {
  expect([before, after, undefined].map((at) => isOfErased([other, email], at, graves))).toEqual([true, false, false]);
  expect(isOfErased([other], before, graves)).toBe(false);
});
