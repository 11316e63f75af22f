import { expect, test } from 'vitest';
import { impossibleDelayMs, isFinal, retryDelayMs } from './retry.ts';

test.each([
  [200, true],
  [204, true],
  [400, true],
  [401, true],
  [403, true],
  [413, true],
  [0, false],
  [304, false],
  [429, false],
  [500, false],
  [503, false],
])('status %s is final: %s', (status, final) => {
  expect(isFinal(status)).toBe(final);
});

test.each([
  [0, null, 0, 1_000],
  [1, null, 0, 2_000],
  [1, null, 1, 3_000],
  [5, null, 0, 32_000],
  [20, null, 0, 300_000],
  [2_000, null, 0, 300_000],
  [0, '60', 0, 60_000],
  [0, '60', 0.5, 75_000],
  [9, '1', 0, 300_000],
  [0, 'Sun, 15 Nov 2026 10:00:00 GMT', 0, 1_000],
  [0, '999999999', 0, 86_400_000],
])('after %s failures, Retry-After %s and random %s: %s ms', (failures, retryAfter, random, delayMs) => {
  expect(retryDelayMs(failures, retryAfter, random)).toBe(delayMs);
});

test('no possible delay exceeds impossibleDelayMs', () => {
  expect(retryDelayMs(2_000, '999999999', 1)).toBeLessThan(impossibleDelayMs);
});
