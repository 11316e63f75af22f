import { expect, test } from 'vitest';
import { readTraits } from './traits.ts';

test('known traits are taken as text; empty and unknown ones stay in the browser', () => {
  const given = {
    email: 'ana@example.com',
    phone: null,
    external_id: 42,
    first_name: '',
    last_name: undefined,
    password: 'secret',
  };
  expect(readTraits(given)).toEqual({ email: 'ana@example.com', external_id: '42' });
});
