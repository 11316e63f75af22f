import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const path = /`((?:apps|bench|deploy|docs|domain|packages|tests)\/[\w./-]+)`/g;

/** Of the past, which stays as it was written. */
const isHistory = (page: string) => page === 'CHANGELOG.md' || page.startsWith('docs/decisions/');

test('every path that a page names exists', () => {
  const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const named = pages
    .filter((page) => !isHistory(page))
    .flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(path)].map(([, name = '']) => ({ page, name })),
    )
    // Words in capitals stand for a name: tests/chaos/NAME.drill.ts.
    .filter(({ name }) => !/\/[A-Z]+\./.test(name));
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ name }) => !existsSync(join(root, name)))).toEqual([]);
});
