import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

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
const page = join(consoleDirectory, 'index.html');
const lock = join(here, 'node_modules/.building');

/** Far longer than a build takes: whoever held it for so long has died. */
const lockMs = 180_000;

/** Builds the console where it is missing or older than its sources. Where only what runs is installed, it was built before. */
export async function buildConsole(): Promise<void> {
  // While somebody builds, the page may be there before what goes with it.
  if (!existsSync(vite) || (!existsSync(lock) && isFresh())) return;
  // Two who build at once would delete each other's files.
  while (!takeLock()) await sleep(200);
  try {
    if (isFresh()) return;
    await promisify(execFile)(process.execPath, [vite, 'build', '--configLoader', 'native', '--logLevel', 'warn'], {
      cwd: here,
      // A test's own mode would bring React's slow half along.
      env: { ...process.env, NODE_ENV: 'production' },
    });
  } finally {
    rmSync(lock, { recursive: true });
  }
}

function takeLock(): boolean {
  try {
    mkdirSync(join(here, 'node_modules'), { recursive: true });
    mkdirSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const held = statSync(lock, { throwIfNoEntry: false });
    if (held && Date.now() - held.mtimeMs > lockMs) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

const isFresh = (): boolean => existsSync(page) && newest(sources) <= statSync(page).mtimeMs;

function newest(paths: readonly string[]): number {
  const times = paths.map((path) => {
    const found = statSync(path);
    if (!found.isDirectory()) return found.mtimeMs;
    const names = readdirSync(path).filter((name) => name !== 'dist' && name !== 'node_modules');
    return newest(names.map((name) => join(path, name)));
  });
  return Math.max(0, ...times);
}
