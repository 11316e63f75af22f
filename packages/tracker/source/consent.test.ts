import { expect, test } from 'vitest';
import { mayTrack } from './consent.ts';

test.each([
  // answer, site requires consent, Global Privacy Control, tracking allowed
  [undefined, false, false, true],
  [undefined, true, false, false],
  [undefined, false, true, false],
  [undefined, true, true, false],
  ['yes', false, false, true],
  ['yes', true, false, true],
  ['yes', false, true, true],
  ['yes', true, true, true],
  ['no', false, false, false],
  ['no', true, false, false],
  ['no', false, true, false],
  ['no', true, true, false],
  ['what', false, false, false],
])('answer %s, consent required %s, opted out %s: allowed %s', (answer, isRequired, isOptedOut, may) => {
  expect(mayTrack(answer, isRequired, isOptedOut)).toBe(may);
});
