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
const lookups = {
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
  ['without erased identifiers keeps all of them', [other], before, [other]],
  ['before the erasure, with an erased address: keeps none', [email, other], before, []],
  ['before the erasure, with an erased key: keeps none', [key], before, []],
  ['before the erasure, with only an erased phone: keeps none', [phone], before, []],
  ['before the erasure, with an erased lead’s phone and an unbound address: keeps none', [lead, unknown], before, []],
  [
    'before the erasure, with the phone of an erased customer who had an address, and an unbound address: keeps the latter',
    [phone, unknown],
    before,
    [unknown],
  ],
  [
    'before the erasure, with a shared phone: keeps the address of the other holder',
    [phone, brother],
    before,
    [brother],
  ],
  [
    'before the erasure, with an erased lead’s phone: keeps the address of its holder',
    [lead, brother],
    before,
    [brother],
  ],
  ['before the erasure, with an erased address and another customer’s: keeps none', [email, brother], before, []],
  [
    'before the erasure, with an erased address and the key of another customer: keeps that key',
    [brothersKey, email],
    before,
    [brothersKey],
  ],
  [
    'before the erasure, with the address of an erased keyed customer and a new key: keeps the new key',
    [newKey, email],
    before,
    [newKey],
  ],
  ['before the erasure, with an erased lead’s phone and a new key: keeps none', [newKey, lead], before, []],
  ['after the erasure: the address is a new customer’s', [email, phone], after, [email, phone]],
  ['after the erasure, with the key: removes only the key', [key, email], after, [email]],
  ['after the erasure, with only the key: keeps none', [key], after, []],
  ['after the erasure, with the key and a phone of another customer: keeps none', [key, brothers], after, []],
  ['after the erasure, with the key and an unbound phone: keeps the phone', [key, other], after, [other]],
  ['without a date: as after the erasure', [key, email], undefined, [email]],
])('a message %s', (_, identifiers, at, remaining) => {
  expect(withoutErased(identifiers, at, lookups)).toEqual(remaining);
});

test('only a message dated before the erasure is about the erased customer', () => {
  expect([before, after, undefined].map((at) => isOfErased([other, email], at, lookups))).toEqual([true, false, false]);
  expect(isOfErased([other], before, lookups)).toBe(false);
});
