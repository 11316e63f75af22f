import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildOnce } from './build-once.ts';

const here = import.meta.dirname;
const root = join(here, '../..');
const vite = join(root, 'node_modules/vite/bin/vite.js');
const sources = [join(here, 'source'), join(here, 'index.html'), join(here, 'vite.config.ts')].concat(
  join(root, 'packages/contract'),
  join(root, 'packages/sdk'),
  join(root, 'packages/vocabulary'),
);

/** Where the built files are, for whoever serves them. */
export const consoleDirectory = join(here, 'dist');

/** Builds the console where it is missing or older than its sources. Where only what runs is installed, it was built before. */
export async function buildConsole(): Promise<void> {
  if (!existsSync(vite)) return;
  await buildOnce({
    place: here,
    page: join(consoleDirectory, 'index.html'),
    sources,
    build: () =>
      promisify(execFile)(process.execPath, [vite, 'build', '--configLoader', 'native', '--logLevel', 'warn'], {
        cwd: here,
        // A test's own mode would bring React's slow half along.
        env: { ...process.env, NODE_ENV: 'production' },
      }),
  });
}
