import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildOnce } from '@tributary/console/build-once.ts';

const here = import.meta.dirname;
const root = join(here, '../..');
const eleventy = join(root, 'node_modules/@11ty/eleventy/cmd.cjs');

/** Where the built files are, for whoever serves them. */
export const docsDirectory = join(here, 'dist');

/** Builds the site of the documentation where it is missing or older than its pages. Where only what runs is installed, it was built before. */
export async function buildDocs(): Promise<void> {
  if (!existsSync(eleventy)) return;
  // Only here: where the site is only served, its sources are not there.
  const { pages } = await import('./pages.ts');
  await buildOnce({
    place: here,
    page: join(docsDirectory, 'index.html'),
    sources: [here, join(root, 'docs'), ...[...pages.keys()].map((page) => join(root, page))],
    build: () => {
      // A page that was removed would stay.
      rmSync(docsDirectory, { recursive: true, force: true });
      return promisify(execFile)(process.execPath, [eleventy, '--config=eleventy.config.ts', '--quiet'], { cwd: here });
    },
  });
}

if (import.meta.main) await buildDocs();
