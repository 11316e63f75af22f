import { expect, test } from 'vitest';
import { readTraits } from './traits.ts';

test('converts known traits to text and drops empty and unknown ones', () => {
  const input = {
    email: 'ana@example.com',
    phone: null,
    external_id: 42,
    first_name: '',
    last_name: undefined,
    password: 'secret',
  };
  expect(readTraits(input)).toEqual({ email: 'ana@example.com', external_id: '42' });
});
