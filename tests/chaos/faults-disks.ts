import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EngineName, Supervisor } from '@tributary/engines';

/** Redis is told to write nothing to disk; what it runs out of is memory. */
export const onDisk = ['postgres', 'clickhouse', 'nats'] as const satisfies readonly EngineName[];
type OnDisk = (typeof onDisk)[number];

/** Far more than a run writes. It is memory, of which only what is written is taken. */
const roomy = '6g';

/** A disk of its own under each engine that has one, which can be made as small as what is on it. Mounting takes root. */
export class Disks {
  readonly #set: string;
  readonly #supervisor: Supervisor;

  constructor(set: string) {
    this.#set = set;
    this.#supervisor = new Supervisor(set);
  }

  static readonly canMount = process.getuid?.() === 0;

  /** Before the engines of the set start. */
  async mount(): Promise<void> {
    for (const engine of onDisk) {
      const path = await this.#pathOf(engine);
      mkdirSync(path, { recursive: true });
      // PostgreSQL wants its directory for itself.
      mountCommand('-t', 'tmpfs', '-o', `size=${roomy},mode=0700`, 'tmpfs', path);
    }
  }

  /** Also what an interrupted run left. Engines that still run keep theirs until they end; the directories can be deleted. */
  unmount(): void {
    const root = `${realpathSync(join(import.meta.dirname, '../../.engines'))}/${this.#set}/`;
    const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
    for (const path of mounts.map((line) => line.split(' ')[1] ?? '').filter((path) => path.startsWith(root)))
      execFileSync('umount', ['--lazy', path]);
  }

  /** From now on there is room for nothing more. What the engine clears away it may write again. */
  async fill(engine: OnDisk): Promise<void> {
    const path = await this.#pathOf(engine);
    for (let attempt = 0; ; attempt += 1) {
      const { blocks, bfree, bsize } = statfsSync(path);
      try {
        return mountCommand('-o', `remount,size=${(blocks - bfree) * bsize}`, path);
      } catch (error) {
        // Written since we looked: the kernel makes no disk smaller than what is on it.
        if (attempt === 20) throw error;
        await sleep(50);
      }
    }
  }

  async widen(engine: OnDisk): Promise<void> {
    mountCommand('-o', `remount,size=${roomy}`, await this.#pathOf(engine));
  }

  async #pathOf(engine: OnDisk): Promise<string> {
    return join((await this.#supervisor.place(engine)).directory, 'data');
  }
}

const mountCommand = (...words: string[]): void => void execFileSync('mount', words, { stdio: 'pipe' });
