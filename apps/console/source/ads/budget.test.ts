import { expect, test } from 'vitest';
import { advisedMinor, boundsOf, stepOf, toDecimal, toMinor } from './budget.ts';

const dollars = { decimal: '50.00', minor: 5_000 };
const pesos = { decimal: '41000', minor: 41_000 };

test('formats amounts with the decimals of the currency', () => {
  expect([stepOf(dollars), stepOf(pesos)]).toEqual(['0.01', '1']);
  expect([toDecimal(5_330, dollars), toDecimal(41_001, pesos)]).toEqual(['53.30', '41001']);
  expect([toMinor('53.3', dollars), toMinor('0.29', dollars), toMinor('41001', pesos)]).toEqual([5_330, 29, 41_001]);
  expect([toMinor('', dollars), toMinor('abc', dollars), toMinor('-1', dollars)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('advises a percentage of the live budget, within the limits of one change', () => {
  expect(advisedMinor(dollars, { action: 'raise', stepPct: 30 })).toBe(6_500);
  expect(advisedMinor(dollars, { action: 'lower', stepPct: 20 })).toBe(4_000);
  expect(advisedMinor({ decimal: '1.20', minor: 120 }, { action: 'lower', stepPct: 30 })).toBe(100);
  expect(boundsOf(dollars)).toEqual({ least: 2_500, most: 7_500 });
});
