import { expect, test } from 'vitest';
import { isUuid, timeOf, uuid } from './uuid.ts';

test('an id is a UUIDv7 that says when it was made', () => {
  // Later than any other here: ids of one page never go back.
  const now = Date.UTC(2030, 10, 15, 10);
  const id = uuid(now);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(timeOf(id)).toBe(now);
});

test('ids of one millisecond, and of a clock that is set back, are different and in order', () => {
  const now = Date.UTC(2027, 0, 1);
  const ids = Array.from({ length: 500 }, (_, index) => uuid(now - index));
  expect(new Set(ids).size).toBe(500);
  expect([...ids].sort()).toEqual(ids);
});

test('what else is found where an id should be is no id', () => {
  expect(isUuid(uuid(0))).toBe(true);
  for (const text of [undefined, '', 'x', `${uuid(0)}0`, `"${uuid(0)}`, uuid(0).toUpperCase()]) {
    expect(isUuid(text)).toBe(false);
  }
});
