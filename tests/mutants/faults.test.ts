import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allFaults } from './faults.ts';

const root = join(import.meta.dirname, '../..');
const isTest = (path: string) => /\.test\.tsx?$/.test(path);

test.each(allFaults.map((fault) => [fault.id, fault] as const))(
  'the code of %s occurs once in its file, and its tests exist',
  (_, { file, from, to, tests }) => {
    expect(readFileSync(join(root, file), 'utf8').split(from)).toHaveLength(2);
    expect(to).not.toBe(from);
    expect(
      tests.filter((path) => globSync([path, `${path}/**`], { cwd: root }).every((found) => !isTest(found))),
    ).toEqual([]);
  },
);

test('a fault in a database function is in the migration that defines its latest version', () => {
  const inForce = readFileSync(join(root, 'packages/postgres/schema.sql'), 'utf8');
  const replaced = allFaults.filter(({ file, from }) => {
    const bodies = readFileSync(join(root, file), 'utf8').match(/\$\$.*?\$\$/gs) ?? [];
    const body = bodies.find((text) => text.includes(from));
    return file.startsWith('packages/postgres/migrations/') && body !== undefined && !inForce.includes(body);
  });
  expect(replaced.map(({ id }) => id)).toEqual([]);
});

test('every fault has a unique id', () => {
  expect(new Set(allFaults.map(({ id }) => id)).size).toBe(allFaults.length);
});
