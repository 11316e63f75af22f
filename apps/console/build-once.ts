import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Far longer than a build takes: a lock this old belongs to a process that died. */
const lockMs = 180_000;

export interface Build {
  /** The folder of the build output and of the lock. */
  readonly place: string;
  /** The page, whose modification time shows when the last build ran. */
  readonly page: string;
  readonly sources: readonly string[];
  readonly build: () => Promise<unknown>;
}

/** Builds if the page is missing or older than its sources. The lock allows one build at a time: two at once would delete each other's files. */
export async function buildOnce({ place: folder, page, sources, build }: Build): Promise<void> {
  const lock = join(folder, 'node_modules/.building');
  const isFresh = () => existsSync(page) && newest(sources) <= statSync(page).mtimeMs;
  // During a build by another process, the page may exist before the files it loads.
  if (!existsSync(lock) && isFresh()) return;
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  while (!acquire(lock)) await sleep(200);
  try {
    if (!isFresh()) await build();
  } finally {
    rmSync(lock, { recursive: true });
  }
}

function acquire(lock: string): boolean {
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
