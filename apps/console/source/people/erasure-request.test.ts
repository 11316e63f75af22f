import { expect, test } from 'vitest';
import { namedIn, newReference, requestOf, selectors } from './erasure-request.ts';

const filled = { profileId: 'p', value: 'x', reference: 'ticket-1', reason: 'account_closed' } as const;
const rest = { profile_id: 'p', request_ref: 'ticket-1', reason: 'account_closed' };

test('names the customer in exactly one way', () => {
  expect(requestOf({ ...filled, selector: 'email' })).toEqual({ ...rest, email: 'x' });
  expect(requestOf({ ...filled, selector: 'customer_key' })).toEqual({ ...rest, customer_key: 'x' });
  expect(requestOf({ ...filled, selector: 'national_id' })).toEqual({
    ...rest,
    identifier_type: 'national_id',
    identifier_value: 'x',
  });
  for (const selector of selectors) expect(namedIn(requestOf({ ...filled, selector }))).toBe('x');
});

test('a reference that nobody typed says when and nothing of whom', () => {
  const reference = newReference(new Date('2026-03-01T12:00:00Z'), '019a8000-0000');
  expect(reference).toBe('console-2026-03-01-019a8000');
});
