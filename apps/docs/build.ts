import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildOnce } from '@tributary/console/build-once.ts';

const here = import.meta.dirname;
const root = join(here, '../..');
const eleventy = join(root, 'node_modules/@11ty/eleventy/cmd.cjs');

/** The directory of the built files. */
export const docsDirectory = join(here, 'dist');

/**
 * Builds the documentation site if it is missing or older than its sources. Does nothing in a production installation, where
 * Eleventy is not installed and the site was built before.
 */
export async function buildDocs(): Promise<void> {
  if (!existsSync(eleventy)) return;
  // Imported here, because the sources are missing where the site is only served.
  const { pages } = await import('./pages.ts');
  await buildOnce({
    place: here,
    page: join(docsDirectory, 'index.html'),
    sources: [here, join(root, 'docs'), ...[...pages.keys()].map((page) => join(root, page))],
    build: () => {
      // Otherwise pages of removed sources would stay.
      rmSync(docsDirectory, { recursive: true, force: true });
      return promisify(execFile)(process.execPath, [eleventy, '--config=eleventy.config.ts', '--quiet'], { cwd: here });
    },
  });
}

if (import.meta.main) await buildDocs();
