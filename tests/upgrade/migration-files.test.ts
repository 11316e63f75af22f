import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { migrationFiles } from './migration-files.ts';
import { earlierVersions, folderOf } from './versions.ts';

const released = earlierVersions.filter(({ name }) => name.startsWith('v'));

test.each(released)('no migration of $name was changed or taken away since', ({ name }) => {
  const then = JSON.parse(readFileSync(join(folderOf(name), 'migrations.json'), 'utf8')) as Record<string, string>;
  const now = migrationFiles(join(import.meta.dirname, '../..'));
  expect(Object.keys(then).filter((file) => now[file] !== then[file])).toEqual([]);
});
