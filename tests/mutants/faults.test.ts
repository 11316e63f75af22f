import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allFaults } from './faults.ts';

const root = join(import.meta.dirname, '../..');
const isTest = (path: string) => /\.test\.tsx?$/.test(path);

test.each(allFaults.map((fault) => [fault.id, fault] as const))('%s can be made', (_, { file, from, to, tests }) => {
  expect(readFileSync(join(root, file), 'utf8').split(from)).toHaveLength(2);
  expect(to).not.toBe(from);
  expect(
    tests.filter((path) => globSync([path, `${path}/**`], { cwd: root }).every((found) => !isTest(found))),
  ).toEqual([]);
});

test('a mistake in a function of the database is in one that no later migration replaced', () => {
  const inForce = readFileSync(join(root, 'packages/postgres/schema.sql'), 'utf8');
  const replaced = allFaults.filter(({ file, from }) => {
    const bodies = readFileSync(join(root, file), 'utf8').match(/\$\$.*?\$\$/gs) ?? [];
    const body = bodies.find((text) => text.includes(from));
    return file.startsWith('packages/postgres/migrations/') && body !== undefined && !inForce.includes(body);
  });
  expect(replaced.map(({ id }) => id)).toEqual([]);
});

test('every mistake has a name of its own', () => {
  expect(new Set(allFaults.map(({ id }) => id)).size).toBe(allFaults.length);
});

test('every room and every package that works for users has some', () => {
  const rooms = globSync('{domain,packages}/*/', { cwd: root }).filter((path) => !path.includes('node_modules'));
  const without = rooms.filter((room) => !allFaults.some(({ file }) => file.startsWith(`${room.replace(/\/$/, '')}/`)));
  expect(without.map((room) => room.replace(/\/$/, '')).sort()).toEqual([
    // Words and declarations, which the compiler and the tests of the contract hold; tools; what is made up.
    'packages/ai-model',
    'packages/clock',
    'packages/config',
    'packages/engines',
    'packages/market',
    'packages/telemetry',
  ]);
});
