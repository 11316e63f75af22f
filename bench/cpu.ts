import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Clock ticks per second, the same on every Linux. */
const ticksPerSecond = 100;

interface Process {
  readonly parent: number;
  /** Includes children that have exited. */
  readonly ticks: number;
  readonly commandLine: string;
}

/** The CPU seconds that each engine of a set has used so far by name, including its child processes. */
function secondsByEngine(set: string): Map<string, number> {
  const processes = allProcesses();
  const ofSet = new RegExp(`/${set}/(\\w+)/`);
  const engineOf = (pid: number): string | undefined => {
    const found = processes.get(pid);
    return found && (ofSet.exec(found.commandLine)?.[1] ?? engineOf(found.parent));
  };
  const seconds = new Map<string, number>();
  for (const [pid, { ticks }] of processes) {
    const engine = pid === process.pid ? undefined : engineOf(pid);
    if (engine) seconds.set(engine, (seconds.get(engine) ?? 0) + ticks / ticksPerSecond);
  }
  return seconds;
}

const ownSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** The CPU seconds that an engine set and this process have used so far. Other load on the machine barely affects them. */
export const cpuSeconds = (set: string): number =>
  [...secondsByEngine(set).values()].reduce((sum, seconds) => sum + seconds, ownSeconds());

export type Cpu = Readonly<Record<string, number>>;

/** Measures the CPU cost of work per engine and process, minus their idle use. */
export class CpuMeter {
  readonly #set: string;
  readonly #idle = new Map<string, number>();

  constructor(set: string) {
    this.#set = set;
  }

  /** Takes the minimum of some seconds, because engines run maintenance right after starting. */
  async learnIdle(seconds = 5): Promise<void> {
    for (let second = 0, before = this.#read({}); second < seconds; second += 1) {
      await sleep(1_000);
      const after = this.#read({});
      for (const [name, used] of after) {
        const idle = used - (before.get(name) ?? 0);
        this.#idle.set(name, Math.min(idle, this.#idle.get(name) ?? idle));
      }
      before = after;
    }
  }

  /** The cost per unit of work. `ours` maps names to process ids; this process is only measured if included. */
  async measure(
    units: number,
    ours: Readonly<Record<string, number | undefined>>,
    work: () => Promise<unknown>,
  ): Promise<Cpu> {
    const [before, startedAt] = [this.#read(ours), performance.now()];
    await work();
    const [after, seconds] = [this.#read(ours), (performance.now() - startedAt) / 1_000];
    const of = (name: string, used: number) =>
      Math.max(0, used - (before.get(name) ?? 0) - seconds * (this.#idle.get(name) ?? 0));
    return Object.fromEntries(
      [...after]
        .map(([name, used]) => [name, Math.round((of(name, used) * 1e7) / units) / 10] as const)
        .filter(([, us]) => us > 0),
    );
  }

  #read(ours: Readonly<Record<string, number | undefined>>): Map<string, number> {
    const seconds = secondsByEngine(this.#set);
    const processes = allProcesses();
    for (const [name, pid] of Object.entries(ours))
      seconds.set(name, pid === process.pid ? ownSeconds() : (processes.get(pid ?? 0)?.ticks ?? 0) / ticksPerSecond);
    return seconds;
  }
}

const allProcesses = (): Map<number, Process> =>
  new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap(readProcess),
  );

function readProcess(name: string): [number, Process][] {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
    // The command line of Redis contains only its port; its working directory identifies its set.
    const commandLine = `${readFileSync(`/proc/${name}/cmdline`, 'latin1')} ${readlinkSync(`/proc/${name}/cwd`)}/`;
    return [[Number(name), { parent: Number(fields[1]), ticks, commandLine }]];
  } catch {
    // The process exited meanwhile.
    return [];
  }
}
