import { routes } from '@tributary/contract';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { nameOf } from './primitives.ts';

const named = Object.values(routes).flatMap((route) => {
  const schema = 'body' in route ? route.body.schema : undefined;
  const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return fields
    .filter((field) => field === 'name' || field === 'owner_name')
    .map((field) => ({ id: route.id, schema, field }));
});

test.each(named)('$id rejects control characters in $field', ({ schema, field }) => {
  expect(named.length).toBeGreaterThan(10);
  for (const text of ['Shop\r\nBcc: eve@example.com', 'Shop\u0000', 'Shop\u009b']) {
    const issues = schema?.safeParse({ [field]: text }).error?.issues ?? [];
    expect(issues.find(({ path }) => path[0] === field)?.message).toMatch(/control characters/);
  }
});

test('a name keeps letters of all scripts and is trimmed', () => {
  expect(nameOf(20).parse('  Niñas 日本 🦊 \n')).toBe('Niñas 日本 🦊');
  expect(nameOf(3).safeParse('four').success).toBe(false);
});
