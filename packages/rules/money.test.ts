import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  allocate,
  compareAmounts,
  convert,
  fromMinorUnits,
  isCurrency,
  minorDigits,
  moneyText,
  multiplyAmounts,
  parseAmount,
  subtractAmounts,
  sumAmounts,
  toMinorUnits,
} from './index.ts';

const sum = (numbers: readonly bigint[]) => numbers.reduce((all, number) => all + number, 0n);
const size = (number: bigint) => (number < 0n ? -number : number);

test('moneyText shows all decimals of the currency, and more only if the amount has more', () => {
  expect(moneyText('5', 'USD')).toBe('5.00');
  expect(moneyText('199.9', 'USD')).toBe('199.90');
  expect(moneyText('0', 'USD')).toBe('0.00');
  expect(moneyText('-5.50', 'KWD')).toBe('-5.500');
  expect(moneyText('100.00', 'CLP')).toBe('100');
  expect(moneyText('0.001', 'USD')).toBe('0.001');
});

describe('a currency', () => {
  test.each([
    ['CLP', 0],
    ['JPY', 0],
    ['USD', 2],
    ['COP', 2],
    ['MGA', 2],
    ['IQD', 3],
    ['KWD', 3],
    ['CLF', 4],
    ['UYW', 4],
    ['BGN', 2],
  ])('%s has %i decimals', (currency, digits) => {
    expect(isCurrency(currency)).toBe(true);
    expect(minorDigits(currency)).toBe(digits);
  });

  test.each(['XXX', 'XAU', 'DEM', 'usd', 'US', '', 'constructor'])('%j is not a currency', (code) => {
    expect(isCurrency(code)).toBe(false);
    expect(() => minorDigits(code)).toThrow(RangeError);
  });
});

describe('parseAmount', () => {
  test.each<[value: unknown, amount: string]>([
    [0, '0'],
    [-0, '0'],
    ['-0.00', '0'],
    [0.1, '0.1'],
    [12.5, '12.5'],
    ['12.50', '12.5'],
    [1200, '1200'],
    ['1200', '1200'],
    [-3.2, '-3.2'],
    [0.1 + 0.2, '0.30000000000000004'],
    [1e-7, '0.0000001'],
    [1.5e-7, '0.00000015'],
    [999_999_999_999.99, '999999999999.99'],
    ['999999999999.99999999999999999999', '999999999999.99999999999999999999'],
    ['-999999999999.99999999999999999999', '-999999999999.99999999999999999999'],
  ])('parses %j to %j', (value, amount) => {
    expect(parseAmount(value)).toEqual({ ok: true, amount });
  });

  test.each<[value: unknown, reason: string]>([
    [Number.NaN, 'not_a_decimal'],
    [Number.POSITIVE_INFINITY, 'not_a_decimal'],
    ['NaN', 'not_a_decimal'],
    ['1e3', 'not_a_decimal'],
    ['0x10', 'not_a_decimal'],
    ['1,250', 'not_a_decimal'],
    ['1 250', 'not_a_decimal'],
    ['$5', 'not_a_decimal'],
    ['+5', 'not_a_decimal'],
    ['007', 'not_a_decimal'],
    ['.5', 'not_a_decimal'],
    ['5.', 'not_a_decimal'],
    ['5\n', 'not_a_decimal'],
    ['', 'not_a_decimal'],
    [null, 'not_a_decimal'],
    [undefined, 'not_a_decimal'],
    [true, 'not_a_decimal'],
    [[5], 'not_a_decimal'],
    [1e12, 'too_many_digits'],
    [1e21, 'too_many_digits'],
    [Number.MAX_VALUE, 'too_many_digits'],
    [Number.MIN_VALUE, 'too_many_digits'],
    ['0.000000000000000000001', 'too_many_digits'],
    ['9'.repeat(1_000_000), 'too_many_digits'],
  ])('rejects %.20s: %s', (value, reason) => {
    expect(parseAmount(value)).toEqual({ ok: false, reason });
  });

  test('keeps a number as written in JSON, and parsing it back gives the same number', () => {
    const written = fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 }).map((thousandths) => {
      const digits = String(Math.abs(thousandths)).padStart(4, '0');
      return `${thousandths < 0 ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`;
    });
    fc.assert(
      fc.property(written, (text) => {
        expect(parseAmount(JSON.parse(text))).toEqual(parseAmount(text));
      }),
    );
  });
});

describe('minor units', () => {
  test.each<[amount: string, currency: string, minorUnits: bigint]>([
    ['12.5', 'USD', 1250n],
    ['12.50', 'USD', 1250n],
    ['1250', 'CLP', 1250n],
    ['0', 'USD', 0n],
    ['1.2345', 'CLF', 12_345n],
    ['1.005', 'KWD', 1005n],
    ['1.005', 'USD', 101n],
    ['1.0049999999999999999', 'USD', 100n],
    ['1.015', 'USD', 102n],
    ['-1.005', 'USD', -101n],
    ['-0.004', 'USD', 0n],
    ['0.5', 'CLP', 1n],
    ['1.5', 'CLP', 2n],
    ['2.5', 'CLP', 3n],
    ['0.30000000000000004', 'USD', 30n],
    ['999999999999.99', 'USD', 99_999_999_999_999n],
  ])('%s %s is %s', (amount, currency, minorUnits) => {
    expect(toMinorUnits(amount, currency)).toBe(minorUnits);
  });

  test.each<[minorUnits: bigint, currency: string, amount: string]>([
    [1250n, 'USD', '12.50'],
    [5n, 'USD', '0.05'],
    [-5n, 'USD', '-0.05'],
    [0n, 'USD', '0.00'],
    [1250n, 'CLP', '1250'],
    [12_345n, 'CLF', '1.2345'],
  ])('%s of %s is %s', (minorUnits, currency, amount) => {
    expect(fromMinorUnits(minorUnits, currency)).toBe(amount);
  });

  test('fromMinorUnits and toMinorUnits are inverse', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.constantFrom('CLP', 'USD', 'KWD', 'CLF'), (minorUnits, currency) => {
        expect(toMinorUnits(fromMinorUnits(minorUnits, currency), currency)).toBe(minorUnits);
      }),
    );
  });

  test('throws for text that is not a decimal', () => {
    expect(() => toMinorUnits('12,5', 'USD')).toThrow(RangeError);
    expect(() => toMinorUnits('', 'USD')).toThrow(RangeError);
  });
});

describe('conversion', () => {
  test.each<[amount: string, rate: string, to: string, minorUnits: bigint]>([
    ['100', '0.00105', 'USD', 11n],
    ['10', '947.355', 'CLP', 9474n],
    ['0.01', '1', 'USD', 1n],
    ['19.99', '1', 'USD', 1999n],
    ['-10', '947.355', 'CLP', -9474n],
    // Rounding to cents first would give 0.01 × 50 = 0.50.
    ['0.005', '50', 'USD', 25n],
    // Floats would give 1.0049999999999999, so 100.
    ['1.005', '1', 'USD', 101n],
    ['999999999999.99999999999999999999', '1000000.000000000001', 'CLP', 1_000_000_000_000_000_001n],
  ])('%s at %s is %s %s', (amount, rate, to, minorUnits) => {
    expect(convert(amount, rate, to)).toBe(minorUnits);
  });

  test.each(['0', '-1', 'x'])('throws for a rate of %s', (rate) => {
    expect(() => convert('1', rate, 'USD')).toThrow(RangeError);
  });

  const amounts = fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n }).map((cents) => fromMinorUnits(cents, 'USD'));
  const rates = fc.bigInt({ min: 1n, max: 10n ** 14n }).map((units) => fromMinorUnits(units, 'CLF'));

  test('is never more than half a unit off', () => {
    fc.assert(
      fc.property(amounts, rates, (amount, rate) => {
        // Cents × rate in 10^4 = 10^6 of a peso.
        const exact = toMinorUnits(amount, 'USD') * toMinorUnits(rate, 'CLF');
        expect(size(convert(amount, rate, 'CLP') * 1_000_000n - exact)).toBeLessThanOrEqual(500_000n);
      }),
    );
  });

  test('converts a negative amount to the negative of the positive one', () => {
    fc.assert(
      fc.property(amounts, rates, (amount, rate) => {
        expect(convert(subtractAmounts('0', amount), rate, 'USD')).toBe(-convert(amount, rate, 'USD'));
      }),
    );
  });
});

describe('subtractAmounts and compareAmounts', () => {
  test.each<[amount: string, taken: string, left: string, order: number]>([
    ['10', '10.00', '0', 0],
    ['10', '0.01', '9.99', 1],
    ['0.3', '0.1', '0.2', 1],
    ['1', '1.5', '-0.5', -1],
    ['-1', '1', '-2', -1],
    ['0.30000000000000004', '0.3', '0.00000000000000004', 1],
  ])('%s less %s is %s', (amount, taken, left, order) => {
    expect(subtractAmounts(amount, taken)).toBe(left);
    expect(compareAmounts(amount, taken)).toBe(order);
  });
});

describe('allocate', () => {
  test.each<[total: bigint, weights: bigint[], shares: bigint[]]>([
    [100n, [1n, 1n, 1n], [34n, 33n, 33n]],
    [101n, [1n, 1n, 1n], [34n, 34n, 33n]],
    [1n, [1n, 1n], [1n, 0n]],
    [10n, [40n, 20n, 40n], [4n, 2n, 4n]],
    [11n, [40n, 20n, 40n], [5n, 2n, 4n]],
    // Remainders of 0.2, 0.2 and 0.6: the largest, not the first.
    [1n, [2n, 2n, 6n], [0n, 0n, 1n]],
    [5n, [0n, 1n, 0n], [0n, 5n, 0n]],
    [0n, [1n, 2n], [0n, 0n]],
    [-100n, [1n, 1n, 1n], [-34n, -33n, -33n]],
    [7n, [2n ** 60n, 2n ** 60n - 1n], [4n, 3n]],
  ])('divides %s by %s into %s', (total, weights, shares) => {
    expect(allocate(total, weights)).toEqual(shares);
  });

  test.each([[[]], [[0n, 0n]], [[2n, -1n]]])('throws for the weights %s', (weights) => {
    expect(() => allocate(1n, weights)).toThrow(RangeError);
  });

  const totals = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
  const weighings = fc
    .array(fc.oneof(fc.bigInt({ min: 0n, max: 3n }), fc.bigInt({ min: 0n, max: 2n ** 60n })), {
      minLength: 1,
      maxLength: 200,
    })
    .filter((weights) => sum(weights) > 0n);

  test('always adds up, and no share is a whole unit off', () => {
    fc.assert(
      fc.property(totals, weighings, (total, weights) => {
        const shares = allocate(total, weights);
        const whole = sum(weights);
        expect(sum(shares)).toBe(total);
        for (const [index, weight] of weights.entries()) {
          const off = (shares[index] ?? 0n) * whole - total * weight;
          expect(size(off)).toBeLessThan(whole);
          if (weight === 0n) expect(shares[index]).toBe(0n);
        }
      }),
    );
  });

  test('among equal weights an earlier share is never smaller, and a larger weight never gets less', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 6n }), weighings, (total, weights) => {
        const byWeight = allocate(total, weights)
          .map((share, index) => ({ share, weight: weights[index] ?? 0n }))
          // The sort is stable, so equal weights keep their order.
          .sort((a, b) => (a.weight === b.weight ? 0 : a.weight > b.weight ? -1 : 1));
        for (const [index, { share }] of byWeight.entries()) {
          expect(share).toBeLessThanOrEqual(byWeight[index - 1]?.share ?? share);
        }
      }),
    );
  });
});

describe('sums and products', () => {
  test('are exact', () => {
    expect(sumAmounts([])).toBe('0');
    expect(sumAmounts(['0.1', '0.2', '-0.3'])).toBe('0');
    expect(sumAmounts(['999999999999.99999999999999999999', '0.00000000000000000001'])).toBe('1000000000000');
    expect(multiplyAmounts('0.001', '950.4')).toBe('0.9504');
    expect(multiplyAmounts('-12.5', '0.00000000000000000001')).toBe('-0.000000000000000000125');
  });
});
