import { readdirSync } from 'node:fs';
import { expect, expectTypeOf, test } from 'vitest';
import { catalogue, lookUp, type Parameters, queryFolder, type Row, raw } from './queries.ts';

test('every file is declared, every declaration has a file, and names are entity and operation', () => {
  const files = readdirSync(queryFolder).sort();
  expect(
    Object.keys(catalogue)
      .map((name) => `${name}.sql`)
      .sort(),
  ).toEqual(files);
  for (const file of files) expect(file).toMatch(/^[a-z]+(_[a-z]+)+\.sql$/);
});

test('a query is found by its name; SQL without a file is used as it is', () => {
  expect(lookUp('visit_count').text).toContain('FROM visits FINAL');
  expect(lookUp(raw('SELECT 1'))).toEqual({ name: 'raw', text: 'SELECT 1' });
});

test('query names carry their parameter and row types', () => {
  expectTypeOf<Row<'visit_count'>>().toEqualTypeOf<{ visits: string }>();
  expectTypeOf<Parameters<'visit_count'>>().toEqualTypeOf<{ profile_id: string; from: Date; to: Date }>();
  expectTypeOf(raw<{ n: string }>('SELECT 1')).toExtend<{ readonly sql: string }>();
  expect(raw('SELECT 1').sql).toBe('SELECT 1');
});
