import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Far longer than a build takes: whoever held the lock for so long has died. */
const lockMs = 180_000;

export interface Build {
  /** The folder of what is built, and of the lock. */
  readonly place: string;
  /** It is there when all is built. */
  readonly page: string;
  readonly sources: readonly string[];
  readonly build: () => Promise<unknown>;
}

/** Builds where the page is missing or older than its sources, one process at a time: two at once would delete each other's files. */
export async function buildOnce({ place, page, sources, build }: Build): Promise<void> {
  const lock = join(place, 'node_modules/.building');
  const isFresh = () => existsSync(page) && newest(sources) <= statSync(page).mtimeMs;
  // While somebody builds, the page may be there before what goes with it.
  if (!existsSync(lock) && isFresh()) return;
  mkdirSync(join(place, 'node_modules'), { recursive: true });
  while (!take(lock)) await sleep(200);
  try {
    if (!isFresh()) await build();
  } finally {
    rmSync(lock, { recursive: true });
  }
}

function take(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const held = statSync(lock, { throwIfNoEntry: false });
    if (held && Date.now() - held.mtimeMs > lockMs) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function newest(paths: readonly string[]): number {
  const times = paths.map((path) => {
    const found = statSync(path);
    if (!found.isDirectory()) return found.mtimeMs;
    const names = readdirSync(path).filter((name) => name !== 'dist' && name !== 'node_modules');
    return newest(names.map((name) => join(path, name)));
  });
  return Math.max(0, ...times);
}
