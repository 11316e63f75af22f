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

/** The folder of the built files, for the server. */
export const consoleDirectory = join(here, 'dist');

/** Builds the console if it is missing or stale. Production installations have no Vite, because their image contains the build. */
export async function buildConsole(): Promise<void> {
  if (!existsSync(vite)) return;
  await buildOnce({
    place: here,
    page: join(consoleDirectory, 'index.html'),
    sources,
    build: () =>
      promisify(execFile)(process.execPath, [vite, 'build', '--configLoader', 'native', '--logLevel', 'warn'], {
        cwd: here,
        // NODE_ENV of a test would bundle React's slow development build.
        env: { ...process.env, NODE_ENV: 'production' },
      }),
  });
}
