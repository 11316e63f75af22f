import { expect, test } from 'vitest';
import { fromStripeUnits } from './money.ts';

test.each([
  [1_999, 'usd', '19.99'],
  [5, 'eur', '0.05'],
  [15_990, 'clp', '15990'],
  [15_990, 'jpy', '15990'],
  // Stripe reports these in hundredths although they have no minor unit in use.
  [150_000, 'isk', '1500.00'],
  [150_000, 'ugx', '1500.00'],
  [150_000, 'huf', '1500.00'],
  [12_340, 'kwd', '12.340'],
  [0, 'usd', '0.00'],
])('%d of %s is %s', (amount, currency, decimal) => {
  expect(fromStripeUnits(amount, currency)).toBe(decimal);
});
