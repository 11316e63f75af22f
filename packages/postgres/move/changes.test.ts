import { expect, test } from 'vitest';
import { readChange } from './changes.ts';

const rowsOf = (line: string) => readChange(line)?.rows.map((row) => Object.fromEntries(row));

test('reads all column values of a change, including those with quotes, brackets and colons', () => {
  const line =
    "table public.search_terms: INSERT: profile_id[uuid]:'0190' term[text]:'it''s [a]: b' " +
    "tags[text[]]:'{a,\"b c\"}' at[timestamp with time zone]:'2026-11-18 02:00:00+00' n[integer]:3 gone[text]:null is[boolean]:true";
  expect(readChange(line)?.table).toBe('search_terms');
  expect(rowsOf(line)).toEqual([
    {
      profile_id: '0190',
      term: "it's [a]: b",
      tags: '{a,"b c"}',
      at: '2026-11-18 02:00:00+00',
      n: '3',
      gone: null,
      is: 'true',
    },
  ]);
});

test('reads the old and the new row of an update that changes the key, and reads unchanged large values as null', () => {
  const line =
    "table public.identifiers: UPDATE: old-key: profile_id[uuid]:'1' value[text]:'a' new-tuple: profile_id[uuid]:'1' value[text]:'b' rest[jsonb]:unchanged-toast-datum";
  expect(rowsOf(line)).toEqual([
    { profile_id: '1', value: 'a' },
    { profile_id: '1', value: 'b', rest: null },
  ]);
});

test('reads the key of a deletion, including a column name in quotes', () => {
  expect(rowsOf(`table public.kept_apart: DELETE: profile_id[uuid]:'1' "one"[uuid]:'2' other[uuid]:'3'`)).toEqual([
    { profile_id: '1', one: '2', other: '3' },
  ]);
});

test('ignores lines that are not a row change in the public schema', () => {
  expect(readChange('BEGIN')).toBeUndefined();
  expect(readChange('table pgboss.job: INSERT: id[uuid]:1')).toBeUndefined();
});
