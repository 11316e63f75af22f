import { KeyNotLoaded, UnreadableSecret } from '@tributary/vault';
import { expect, test } from 'vitest';
import { blame } from './classify-failure.ts';

test.each([
  ['a key that is not loaded yet counts as an outage', new KeyNotLoaded(), 'away'],
  ['an unreadable secret counts as a fault of the work', new UnreadableSecret(), 'work'],
] as const)('%s', (_what, error, whose) => expect(blame(error)).toBe(whose));
