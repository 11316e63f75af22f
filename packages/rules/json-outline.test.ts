import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outlineJson } from './json-outline.ts';

const bounds = { fields: 3, depth: 2, bytes: 60 };
const outline = (text: string, list?: string) => outlineJson(Buffer.from(text), bounds, list);
const kindOf = (text: string, list?: string) => outline(text, list).excess?.kind;
const kindsOf = (text: string) => outline(text, 'events').items.map(({ index, excess }) => [index, excess.kind]);

describe('without a list', () => {
  test.each([
    ['{"a":1,"b":2,"c":3}', undefined],
    ['{"a":1,"b":2,"c":3,"d":4}', 'fields'],
    ['{"a":1,"a":2,"a":3,"a":4}', 'fields'],
    ['{"a":{"b":1,"c":2,"d":3,"e":4}}', 'fields'],
    ['{"a":{"b":1,"c":2},"d":{"b":1,"c":2},"e":[{"f":1}]}', undefined],
    [`{"a":":::::::{{{{[[[[","b":"\\"::::"}`, undefined],
    [`{"a":"${'x'.repeat(500)}"}`, undefined],
    [`${'['.repeat(64)}${']'.repeat(64)}`, undefined],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 'depth'],
    ['', undefined],
    ['{"a', undefined],
    [']]]]}}}}', undefined],
  ])('%j: %s', (text, kind) => {
    expect(kindOf(text)).toBe(kind);
  });
});

describe('a text without the list is one item', () => {
  test.each([
    ['{"a":{"b":{"c":1}}}', undefined],
    ['{"a":{"b":{"c":{}}}}', 'depth'],
    ['{"a":[[1]]}', undefined],
    ['{"a":[[[]]]}', 'depth'],
    [`{"a":"${'x'.repeat(52)}"}`, undefined],
    [`{"a":"${'x'.repeat(53)}"}`, 'bytes'],
    // A different member, a nested one, or one that is not a list.
    ['{"other":[[[]]]}', 'depth'],
    ['{"a":{"events":[[]]}}', 'depth'],
    ['{"events":{"a":{"b":{}}}}', 'depth'],
    ['{"events":[],"a":{"b":{"c":{}}}}', 'depth'],
    [`{"events":[],"a":"${'x'.repeat(60)}"}`, 'bytes'],
    [`{"a":"${'x'.repeat(60)}","events":[]}`, 'bytes'],
    ['{"\\u0065vents":[{"a":{}}],"b":1}', 'depth'],
  ])('%j: %s', (text, kind) => {
    expect(kindOf(text, 'events')).toBe(kind);
  });
});

test('checks each item of the list separately', () => {
  const items = [
    '{"a":1,"b":2,"c":3}',
    '{"a":1,"b":2,"c":3,"d":4}',
    '{"a":{"b":{"c":1}}}',
    '{"a":{"b":{"c":[]}}}',
    `{"a":"${'x'.repeat(52)}"}`,
    `{"a":"${'x'.repeat(53)}"}`,
    '"],[{}"',
    `{"a":1}`,
  ];
  const text = `{"before":1,"events" : [${items.join(',')}],"after":{"a":{}}}`;
  expect(outline(text, 'events').excess).toBeUndefined();
  expect(kindsOf(text)).toEqual([
    [1, 'fields'],
    [3, 'depth'],
    [5, 'bytes'],
  ]);
  for (const { index, start, end } of outline(text, 'events').items) expect(text.slice(start, end)).toBe(items[index]);
});

test('names the field over the limit only if it looks like an identifier', () => {
  const fieldOf = (item: string) => outline(`{"events":[${item}]}`, 'events').items[0]?.excess.field;
  expect(fieldOf('{"ok":1,"traits":{"a":1,"b":2,"c":3,"d":4}}')).toBe('traits');
  expect(fieldOf('{"ana@example.cl":[[[]]]}')).toBe('');
  expect(fieldOf('{"a":1,"b":2,"c":3,"d":4}')).toBe('');
});

test('an unterminated list is an item over the limit, so that it is not parsed', () => {
  expect(kindsOf(`{"events":[${'['.repeat(5_000)}`)).toEqual([[0, 'depth']]);
});

test('accepts any JSON within the limits, however it is formatted', () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const wide = { fields: 10_000, depth: 60, bytes: 1_000_000 };
  fc.assert(
    fc.property(fc.array(value), value, fc.constantFrom(0, 2), (events, other, indent) => {
      const text = Buffer.from(JSON.stringify({ other, events, last: 1 }, null, indent));
      expect(outlineJson(text, wide, 'events')).toEqual({ excess: undefined, items: [] });
      const none = outlineJson(text, { ...wide, bytes: -1 }, 'events').items;
      expect(none.map(({ start, end }) => JSON.parse(text.subarray(start, end).toString() || '0'))).toEqual(
        events.length > 0 ? JSON.parse(JSON.stringify(events)) : [0],
      );
    }),
  );
});
