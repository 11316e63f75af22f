import { expect, test } from 'vitest';
import { visitsPerDay } from './plan.ts';

test.each([
  ['free', null, 100_000],
  ['growth', null, 2_000_000],
  ['scale', null, 100_000_000],
  ['growth', 50, 50],
  // A plan that was left for a smaller one takes what the profile once said with it.
  ['free', 2_000_000, 100_000],
  ['toString', null, 100_000],
  [undefined, null, 100_000],
] as const)('plan %s with a limit of its own of %s takes %s visits a day', (plan, own, expected) => {
  expect(visitsPerDay(plan, own)).toBe(expected);
});
