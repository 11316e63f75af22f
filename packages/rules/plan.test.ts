import { expect, test } from 'vitest';
import { visitsPerDay } from './plan.ts';

test.each([
  ['free', null, 100_000],
  ['growth', null, 2_000_000],
  ['scale', null, 100_000_000],
  ['growth', 50, 50],
  // After a downgrade, the plan limits the profile's earlier setting.
  ['free', 2_000_000, 100_000],
  ['toString', null, 100_000],
  [undefined, null, 100_000],
] as const)("plan %s with the profile's limit %s accepts %s visits a day", (plan, own, expected) => {
  expect(visitsPerDay(plan, own)).toBe(expected);
});
