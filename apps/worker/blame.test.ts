import { KeyNotLoaded, UnreadableSecret } from '@tributary/vault';
import { expect, test } from 'vitest';
import { blame } from './blame.ts';

test.each([
  ['a key that this process has not loaded yet', new KeyNotLoaded(), 'away'],
  ['a secret that no key opens', new UnreadableSecret(), 'work'],
] as const)('%s', (_what, error, whose) => expect(blame(error)).toBe(whose));
