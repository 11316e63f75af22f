import { expect, test } from 'vitest';
import { z } from 'zod';
import { faultWords, placeOf } from './fault-messages.ts';

/** One fault of every kind that our schemas can produce. */
const faults: readonly (readonly [schema: z.ZodType, value: unknown, words: string])[] = [
  [z.string(), undefined, 'is required'],
  [z.enum(['a', 'b']), undefined, 'is required'],
  [z.string(), null, 'must be a text'],
  [z.string(), 7, 'must be a text'],
  [z.number(), '7', 'must be a number'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.boolean(), 'yes', 'must be true or false'],
  [z.object({}), 7, 'must be an object'],
  [z.array(z.string()), {}, 'must be a list'],
  [z.string().max(3), 'abcd', 'must have up to 3 characters'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().min(2), 'a', 'must have at least 2 characters'],
  [z.int().max(365), 366, 'must be at most 365'],
  [z.int().min(1), 0, 'must be at least 1'],
  [z.array(z.int()).max(1), [1, 2], 'must hold up to 1'],
  [z.array(z.int()).min(1), [], 'must hold at least 1'],
  [z.uuid(), 'x', 'must be a UUID'],
  [z.email(), 'x', 'must be an e-mail address'],
  [z.iso.date(), 'x', 'must be a real date written YYYY-MM-DD'],
  [z.string().regex(/^a$/), 'x', 'must be of the form that the reference shows'],
  [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
  [z.literal('a'), 'c', 'must be a'],
  [z.number().multipleOf(2), 3, 'must be a multiple of 2'],
  [z.strictObject({}), { nope: 1 }, 'Unknown field `nope`. Known fields: none.'],
  [z.strictObject({ amount: z.int().optional() }), { amont: 1 }, 'Unknown field `amont`. Did you mean `amount`?'],
  [z.strictObject({}), { 'ana@example.cl': 1 }, 'Unknown field. Known fields: none.'],
  [z.union([z.string(), z.int()]), true, 'has none of the forms that it may have'],
  [z.string().refine(() => false), 'x', 'is not valid'],
  [z.string().regex(/^a$/, 'must be a, and nothing else'), 'x', 'must be a, and nothing else'],
];

test.each(faults)('fault %#: %s', (schema, value, words) => {
  const { error } = schema.safeParse(value, { error: faultWords });
  expect(error?.issues[0]?.message).toBe(words);
});

test("no fault has zod's own message", () => {
  for (const [schema, value] of faults)
    expect(schema.safeParse(value, { error: faultWords }).error?.issues[0]?.message).not.toMatch(
      /Invalid|Too (big|small)|expected|Unrecognized/,
    );
});

test('an unknown field is located at the field itself', () => {
  const schema = z.object({ inner: z.strictObject({}) });
  const { error } = schema.safeParse({ inner: { nope: 1 } }, { error: faultWords });
  expect(error?.issues.map(placeOf)).toEqual([['inner', 'nope']]);
});
