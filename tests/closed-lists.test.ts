import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits, personScopes } from '@tributary/vocabulary';
import { describe, expect, test } from 'vitest';
import {
  findCopies,
  findIncompleteModels,
  findNamedModels,
  findStaleChecks,
  findUnreadLimits,
  findWrittenEnums,
  listsOf,
} from './closed-lists.ts';

const lists = listsOf({
  colours: ['red', 'green', 'blue', 'grey'],
  sizes: { small: 1, large: 2, huge: 3 },
  sides: ['left', 'right'],
  isColour: () => true,
  most: 4,
});
const file = (text: string, path = 'domain/paint/mix.ts') => [{ path, text }];

test('reads arrays of words and keys of tables from the exports of a module', () => {
  expect([...lists.keys()]).toEqual(['colours', 'sizes', 'sides']);
  expect(lists.get('sizes')).toEqual(['small', 'large', 'huge']);
});

describe('findCopies', () => {
  test.each([
    ['an array', "const all = ['red', 'green', 'blue'];"],
    ['an array over several lines', "new Set([\n  'red',\n  'green',\n  'blue',\n  'grey',\n]);"],
    ['words added to a shorter list', "[...dark, 'red', 'green', 'blue']"],
    ['a union', "type Colour = 'red' | 'green' | 'blue';"],
    ['a union over several lines', "type Colour =\n  | 'red'\n  | 'green'\n  | 'blue';"],
    ['a list in SQL', "WHERE colour IN ('red', 'green', 'blue')"],
    ['an array in SQL', "ARRAY['red'::text, 'green'::text, 'blue'::text]"],
    ['keys of a table', "const all = ['small', 'large', 'huge'];"],
    ['a list with one word more', "['red', 'green', 'blue', 'mauve']"],
  ])('reports %s', (_, text) => {
    expect(findCopies(file(text), lists, [])).toHaveLength(1);
  });

  test.each([
    ['two words', "['red', 'green']"],
    ['words among many others', "['id', 'name', 'red', 'green', 'blue', 'made_at', 'gone_at']"],
    ['a table keyed by the words', 'const shades = { red: 1, green: 2, blue: 3, grey: 4 };'],
    ['a comment', "// 'red', 'green', 'blue'\n/* 'red', 'green', 'blue' */\n -- 'red', 'green', 'blue'"],
    ['comparisons', "colour === 'red' || colour === 'green' || colour === 'blue'"],
  ])('does not report %s', (_, text) => {
    expect(findCopies(file(text), lists, [])).toEqual([]);
  });

  test('an exemption holds only for its list and its path', () => {
    const exempt = [{ path: 'domain/paint/', lists: ['colours'], why: 'A mix chooses.' }];
    expect(findCopies(file("['red', 'green', 'blue']"), lists, exempt)).toEqual([]);
    expect(findCopies(file("['small', 'large', 'huge']"), lists, exempt)).toHaveLength(1);
    expect(findCopies(file("['red', 'green', 'blue']", 'domain/print/run.ts'), lists, exempt)).toHaveLength(1);
  });

  test('an exempted copy must have exactly the words of the list', () => {
    const exempt = [{ path: 'domain/', lists: ['colours'], why: 'It imports nothing.', isWhole: true }] as const;
    expect(findCopies(file("['red', 'green', 'blue', 'grey']"), lists, exempt)).toEqual([]);
    expect(findCopies(file("['red', 'green', 'blue']"), lists, exempt)).toHaveLength(1);
    expect(findCopies(file("['red', 'green', 'blue', 'mauve']"), lists, exempt)).toHaveLength(1);
  });
});

test('reports a typed-out enum of two or more words', () => {
  expect(findWrittenEnums(file("z.enum(['up', 'down'])"))).toHaveLength(1);
  expect(findWrittenEnums(file("z\n  .enum([\n    'up',\n    'down',\n  ])"))).toHaveLength(1);
  expect(findWrittenEnums(file("z.enum(directions); z.enum(['CL']); enumOf(table)"))).toEqual([]);
});

test('reports a CHECK constraint that differs from its list', () => {
  const check = (...words: string[]) =>
    `CONSTRAINT paints_colour_check CHECK ((colour = ANY (ARRAY[${words.map((word) => `'${word}'::text`).join(', ')}])))`;
  expect(findStaleChecks(check('red', 'green', 'blue'), lists)).toHaveLength(1);
  expect(findStaleChecks(check('grey', 'red', 'green', 'blue'), lists)).toEqual([]);
  expect(findStaleChecks(check('wet', 'dry'), lists)).toEqual([]);
});

test('reports a limit that no code reads', () => {
  const read = file('limits.page.max; const { batch } = limits;');
  expect(findUnreadLimits(read, { page: {}, batch: {}, pages: {} })).toEqual([
    'limits.pages of packages/vocabulary is never read',
  ]);
});

describe('attribution models', () => {
  const models = { first: { credit: 'single' }, even: { credit: 'multiple' } } as const;
  const whole = [
    'packages/rules/attribution/models/first.ts',
    'packages/rules/attribution/models/even.ts',
    'packages/clickhouse/parts/place_first.sql',
    'packages/clickhouse/parts/shares_even.sql',
    'packages/clickhouse/parts/weigh_even.sql',
  ];

  test('accepts models that have their rule and parts of SQL', () => {
    expect(findIncompleteModels(models, (path) => whole.includes(path))).toEqual([]);
    const further = whole.map((path) => path.replace('weigh_', 'further_'));
    expect(findIncompleteModels(models, (path) => further.includes(path))).toEqual([]);
  });

  test.each(whole)('reports a model without %s', (missing) => {
    expect(findIncompleteModels(models, (path) => path !== missing && whole.includes(path))).toHaveLength(1);
  });

  test('reports a comparison with the name of a model, but not a part named after it', () => {
    expect(findNamedModels(file("if({model:String} = 'even', a, b)"), ['first', 'even'])).toHaveLength(1);
    expect(findNamedModels(file('{{part shares by model}} -- even'), ['first', 'even'])).toEqual([]);
  });
});

test('limits and scopes in the PostgreSQL schema equal those of the vocabulary', () => {
  const schema = readFileSync(join(import.meta.dirname, '../packages/postgres/schema.sql'), 'utf8');
  const { standard, elevated, internal } = limits.ratePerMinute.app;
  expect(schema).toContain(
    `CASE a.rate_tier WHEN 'internal' THEN ${internal} WHEN 'elevated' THEN ${elevated} ELSE ${standard} END`,
  );
  const { min, max } = limits.lookback.days;
  expect(schema).toContain(`((lookback_window_days >= ${min}) AND (lookback_window_days <= ${max}))`);
  expect(schema).toContain(`scopes && ARRAY[${personScopes.map((scope) => `'${scope}'`).join(', ')}]`);
});
