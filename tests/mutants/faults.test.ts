import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allFaults } from './faults.ts';

const root = join(import.meta.dirname, '../..');

test.each(allFaults.map((fault) => [fault.id, fault] as const))('%s can be made', (_, { file, from, to, tests }) => {
  expect(readFileSync(join(root, file), 'utf8').split(from)).toHaveLength(2);
  expect(to).not.toBe(from);
  expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('every mistake has a name of its own', () => {
  expect(new Set(allFaults.map(({ id }) => id)).size).toBe(allFaults.length);
});
