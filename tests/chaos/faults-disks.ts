import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EngineName, Supervisor } from '@tributary/engines';

/** Engines that write to disk. Redis is configured not to, so it can only run out of memory. */
export const diskEngines = ['postgres', 'clickhouse', 'nats'] as const satisfies readonly EngineName[];
type DiskEngine = (typeof diskEngines)[number];

/** Far more than a run writes. A tmpfs uses memory only for data that was written. */
const fullSize = '6g';

/** Mounts a separate tmpfs for each engine that writes to disk and can shrink it to its current content. Mounting requires root. */
export class Disks {
  readonly #set: string;
  readonly #supervisor: Supervisor;

  constructor(set: string) {
    this.#set = set;
    this.#supervisor = new Supervisor(set);
  }

  static readonly canMount = process.getuid?.() === 0;

  /** Must be called before the engines of the set start. */
  async mount(): Promise<void> {
    for (const engine of diskEngines) {
      const path = await this.#pathOf(engine);
      mkdirSync(path, { recursive: true });
      // PostgreSQL requires that no other user can access its data directory.
      mountCommand('-t', 'tmpfs', '-o', `size=${fullSize},mode=0700`, 'tmpfs', path);
    }
  }

  /** Also unmounts what an interrupted run left. Lazy: running engines keep their mount until they exit, and the directories can be deleted. */
  unmount(): void {
    const root = `${realpathSync(join(import.meta.dirname, '../../.engines'))}/${this.#set}/`;
    const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
    for (const path of mounts.map((line) => line.split(' ')[1] ?? '').filter((path) => path.startsWith(root)))
      execFileSync('umount', ['--lazy', path]);
  }

  /** Shrinks the disk to its content, so that the engine can write only as much as it deletes. */
  async fill(engine: DiskEngine): Promise<void> {
    const path = await this.#pathOf(engine);
    for (let attempt = 0; ; attempt += 1) {
      const { blocks, bfree, bsize } = statfsSync(path);
      try {
        return mountCommand('-o', `remount,size=${(blocks - bfree) * bsize}`, path);
      } catch (error) {
        // The engine wrote more since statfs: the kernel rejects a size below the current content.
        if (attempt === 20) throw error;
        await sleep(50);
      }
    }
  }

  async expand(engine: DiskEngine): Promise<void> {
    mountCommand('-o', `remount,size=${fullSize}`, await this.#pathOf(engine));
  }

  async #pathOf(engine: DiskEngine): Promise<string> {
    return join((await this.#supervisor.place(engine)).directory, 'data');
  }
}

const mountCommand = (...words: string[]): void => void execFileSync('mount', words, { stdio: 'pipe' });
