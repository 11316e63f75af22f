import { expect, test } from 'vitest';
import { effectiveScopes, isHealthcareFamily, isLoosened } from './index.ts';

test.each([
  ['[conv-022]', true, 'standard', true],
  ['[conv-022]', true, 'hipaa', true],
  ['[conv-023]', false, 'platform_safe', true],
  ['[conv-024]', false, 'hipaa', true],
  ['[conv-025]', false, 'standard', false],
])('%s an agency: %s, privacy mode %s: healthcare-family: %s', (_, isHealthcareAgency, privacyMode, expected) => {
  expect(isHealthcareFamily({ isHealthcareAgency, privacyMode })).toBe(expected);
});

test('an unknown status counts as healthcare', () => {
  expect(isHealthcareFamily(undefined)).toBe(true);
});

test('a key is limited by its grant, and has no personal-data scopes on a healthcare profile', () => {
  const minted = ['customers:read', 'visitors:read', 'campaigns:read', 'goals:write'] as const;
  const granted = new Set(['customers:read', 'visitors:read', 'campaigns:read'] as const);
  expect(effectiveScopes<string>(minted, granted, false)).toEqual(
    new Set(['customers:read', 'visitors:read', 'campaigns:read']),
  );
  expect(effectiveScopes<string>(minted, granted, true)).toEqual(new Set(['campaigns:read']));
});

test.each([
  ['standard', 'hipaa', false],
  ['standard', 'platform_safe', false],
  ['platform_safe', 'hipaa', false],
  ['hipaa', 'hipaa', false],
  ['hipaa', 'platform_safe', true],
  ['platform_safe', 'standard', true],
] as const)('a change from %s to %s is less private: %s', (from, to, expected) => {
  expect(isLoosened(from, to)).toBe(expected);
});
