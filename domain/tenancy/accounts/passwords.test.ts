import { describe, expect, test } from 'vitest';
import { isCompromised } from './compromised-passwords.ts';
import { createPasswords } from './passwords.ts';

const passwords = createPasswords(10);

describe('password hashes', () => {
  test('use argon2id with 19 MiB, two passes and a new salt each time', async () => {
    const [first, second] = await Promise.all([
      passwords.hash('four unrelated words'),
      passwords.hash('four unrelated words'),
    ]);
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(second).not.toBe(first);
    expect(await passwords.verify(first, 'four unrelated words')).toBe(true);
    expect(await passwords.verify(first, 'four unrelated wordz')).toBe(false);
  });
});

describe('a new password', () => {
  const codeOf = (password: string) => {
    try {
      passwords.accept(password);
      return undefined;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  test.each(['', 'short', '123456789', '🔑🔑🔑🔑🔑🔑🔑🔑🔑'])('%o is too short', (password) => {
    expect(codeOf(password)).toBe('weak_password');
  });

  test.each([
    '1234567890',
    'password123',
    'PASSWORD123',
    'Password2026!',
    'qwertyuiop',
    'Tributary-2026',
    'tributary admin',
  ])('%o is refused as compromised', (password) => {
    expect(codeOf(password)).toBe('compromised_password');
  });

  test.each(['four unrelated words', 'vague-otter-19-lamp', '🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑'])('%o is accepted', (password) => {
    expect(codeOf(password)).toBeUndefined();
  });

  test('may end in a common word', () => {
    expect(isCompromised('astute-llama-dragon')).toBe(false);
  });
});
