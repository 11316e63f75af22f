import { expect, test } from 'vitest';
import { namedIn, newReference, requestOf, selectorOf, selectors } from './erasure-request.ts';

const filled = { profileId: 'p', value: 'x', reference: 'ticket-1', reason: 'account_closed' } as const;
const rest = { profile_id: 'p', request_ref: 'ticket-1', reason: 'account_closed' };

test('identifies the customer in exactly one way', () => {
  expect(requestOf({ ...filled, selector: 'email' })).toEqual({ ...rest, email: 'x' });
  expect(requestOf({ ...filled, selector: 'customer_key' })).toEqual({ ...rest, customer_key: 'x' });
  expect(requestOf({ ...filled, selector: 'national_id' })).toEqual({
    ...rest,
    identifier_type: 'national_id',
    identifier_value: 'x',
  });
  for (const selector of selectors) expect(namedIn(requestOf({ ...filled, selector }))).toBe('x');
});

test('prefers the customer key, then another id, then email or phone', () => {
  const phone = { kind: 'phone', value: '+34600000000' };
  const email = { kind: 'email', value: 'eva@example.test' };
  const nationalId = { kind: 'national_id', value: '11111111-1' };
  const key = { kind: 'external_customer_id', value: 'eva-1' };
  expect(selectorOf([])).toBeUndefined();
  expect(selectorOf([phone])).toEqual({ selector: 'phone', value: phone.value });
  expect(selectorOf([phone, email])).toEqual({ selector: 'email', value: email.value });
  expect(selectorOf([phone, email, nationalId])).toEqual({ selector: 'national_id', value: nationalId.value });
  expect(selectorOf([phone, email, nationalId, key])).toEqual({ selector: 'customer_key', value: key.value });
});

test('a generated reference contains the date and nothing about the customer', () => {
  const reference = newReference(new Date('2026-03-01T12:00:00Z'), '019a8000-0000');
  expect(reference).toBe('console-2026-03-01-019a8000');
});
