import { expect, test } from 'vitest';
import { causesOf } from './causes.ts';
import type { OutcomeContent } from './event-input.ts';

const paid: OutcomeContent = {
  eventName: 'payment_received',
  eventType: 'payment_received',
  occurredAt: new Date('2026-03-01T12:00:00Z'),
  money: { amount: '100', currency: 'USD' },
  subjectRef: null,
  rest: {},
  customerId: 'eva',
};
const dollars = (amount: string) => ({ money: { amount, currency: 'USD' } });

test.each<[string, Partial<OutcomeContent>, string[]]>([
  ['less of the same currency', dollars('99.99'), ['amount_changed']],
  ['more of it', dollars('100.01'), ['amount_changed']],
  ['as many of another currency', { money: { amount: '100', currency: 'EUR' } }, ['amount_changed']],
  ['no money', { money: null }, ['amount_changed']],
  ['another time', { occurredAt: new Date('2026-03-02T12:00:00Z') }, ['moved_in_time']],
  ['another customer', { customerId: 'ana' }, ['details_changed']],
  ['another subject', { ...dollars('2'), subjectRef: 'child' }, ['amount_changed', 'details_changed']],
  ['another name', { eventName: 'renewal' }, ['details_changed']],
  ['the same amount with other digits, and an ad', { ...dollars('100.00'), rest: { ad_id: '1' } }, ['details_changed']],
  [
    'all at once',
    { ...dollars('1'), occurredAt: new Date(0), customerId: 'ana', eventType: 'renewal' },
    ['amount_changed', 'moved_in_time', 'details_changed'],
  ],
])('a payment sent again with %s', (_, change, causes) => {
  expect(causesOf(paid, { ...paid, ...change })).toEqual(causes);
});

test('a new outcome has the cause outcome_recorded', () => {
  expect(causesOf(undefined, paid)).toEqual(['outcome_recorded']);
});
