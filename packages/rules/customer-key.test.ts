import { expect, test } from 'vitest';
import { isOpaqueKey } from './customer-key.ts';

test.each([
  'customer-8812',
  'key-ana',
  '8812',
  'c_1042',
  'cus_NffrFeUfNV2Hib',
  '0191d2a4-7b1e-7c3d-9e5f-123456789012',
  'd41d8cd98f00b204e9800998ecf84271',
])('%s is opaque', (key) => {
  expect(isOpaqueKey(key)).toBe(true);
});

test.each([
  'patient@canary.example',
  'PATIENT%40canary.example',
  'patient＠canary.example',
  '+56912345678',
  '56912345678',
  '+56 9 1234-5678',
  'whatsapp:+56912345678',
  '(02) 2345 6789',
  '12345678-5',
  '12.345.678-5',
  '123456785',
])('%s contains personal data', (key) => {
  expect(isOpaqueKey(key)).toBe(false);
});
