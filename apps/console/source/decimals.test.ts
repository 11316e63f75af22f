import { expect, test } from 'vitest';
import { difference, isZero, share, sum } from './decimals.ts';

test.each<[string[], string]>([
  [[], '0'],
  [['0.1', '0.2'], '0.3'],
  [['1', '-0.25', '0.25'], '1'],
  [['-0.05', '0.01'], '-0.04'],
  [['9007199254740993', '0.00000000000000000001'], '9007199254740993.00000000000000000001'],
])('the sum of %j is %s, to the last digit', (texts, total) => {
  expect(sum(texts)).toBe(total);
});

test('a difference may be negative, and differently written zeros are equal', () => {
  expect(difference('10', '10.50')).toBe('-0.5');
  expect(difference('1', '-2')).toBe('3');
  expect(['0', '0.00', difference('1.10', '1.1')].every(isZero)).toBe(true);
  expect(isZero('0.001')).toBe(false);
});

test('a share stays between 0 and 1', () => {
  expect([share('1', '4'), share('5', '4'), share('-1', '4'), share('1', '0')]).toEqual([0.25, 1, 0, 0]);
});
