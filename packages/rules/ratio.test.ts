import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ratio, roundCount, unitCost } from './index.ts';

test.each([
  ['199.90', 40, 1, 4.9975],
  [199.9, 40, 1, 4.9975],
  [1, 3, 1, 0.333333],
  [-1, 3, 100, -33.333333],
  [0.28, '-2.8', 100, -10],
  ['0.0000005', '1', 1, 0.000001],
  [-0.0000005, 1, 1, -0.000001],
  [1e-7, 1, 1, 0],
  [0, 7, 1, 0],
])(
  '%s / %s × %s is %s, with at most six decimals, half rounded away from zero',
  (dividend, divisor, times, quotient) => {
    expect(ratio(dividend, divisor, times)).toBe(quotient);
  },
);

test('a ratio with a zero divisor or an unknown figure is null', () => {
  expect([ratio(1, 0), ratio(1, '0.00'), ratio(null, 1), ratio(1, null)]).toEqual([null, null, null, null]);
});

test('a cost has the decimals of its currency', () => {
  expect(unitCost('10', 3, 'USD')).toBe(3.33);
  expect(unitCost(1.005, 1, 'USD')).toBe(1.01);
  expect(unitCost(1000, 3, 'CLP')).toBe(333);
  expect(unitCost('12.34', 1000, 'USD', 1000)).toBe(12.34);
  expect(unitCost(1, 0, 'USD')).toBeNull();
});

test("removes floating-point errors from a platform's count", () => {
  expect(roundCount('2.8000000000000003')).toBe('2.8');
  expect(roundCount('278')).toBe('278');
});

test('no ratio is off by more than half of its last decimal', () => {
  const cents = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 });
  fc.assert(
    fc.property(cents, fc.integer({ min: 1, max: 1_000_000 }), (over, under) => {
      const found = ratio(over / 100, under / 100) ?? 0;
      expect(String(found)).toMatch(/^-?\d+(\.\d{1,6})?$|e-[67]$/);
      expect(Math.abs(found - over / under)).toBeLessThanOrEqual(0.000_000_51 + Math.abs(found) * 1e-12);
    }),
  );
});
