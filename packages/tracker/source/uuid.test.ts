import { expect, test } from 'vitest';
import { isUuid, timeOf, uuid } from './uuid.ts';

test('an id is a UUIDv7 with its creation time', () => {
  // Later than in the other tests: ids of one page never go back in time.
  const now = Date.UTC(2030, 10, 15, 10);
  const id = uuid(now);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(timeOf(id)).toBe(now);
});

test('ids are unique and ordered within one millisecond and after the clock is set back', () => {
  const now = Date.UTC(2027, 0, 1);
  const ids = Array.from({ length: 500 }, (_, index) => uuid(now - index));
  expect(new Set(ids).size).toBe(500);
  expect([...ids].sort()).toEqual(ids);
});

test('rejects values that are not ids', () => {
  expect(isUuid(uuid(0))).toBe(true);
  for (const text of [undefined, '', 'x', `${uuid(0)}0`, `"${uuid(0)}`, uuid(0).toUpperCase()]) {
    expect(isUuid(text)).toBe(false);
  }
});
