import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Clock ticks a second, on every Linux there is. */
const ticksPerSecond = 100;

interface Process {
  readonly parent: number;
  /** Of its own, and of its children that have ended. */
  readonly ticks: number;
  readonly commandLine: string;
}

/** Processor seconds that each engine of a set has used so far, by its name; what they started counts with them. */
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

/** CPU seconds that the processes of an engine set have used so far, and this one. A slow minute of the machine changes them little. */
export const cpuSeconds = (set: string): number =>
  [...secondsByEngine(set).values()].reduce((sum, seconds) => sum + seconds, ownSeconds());

/** Microseconds of processor by who used them. */
export type Cpu = Readonly<Record<string, number>>;

/** Measures what work costs each engine of a set and each process of ours, less what they use while nothing is asked of them. */
export class CpuMeter {
  readonly #set: string;
  readonly #idle = new Map<string, number>();

  constructor(set: string) {
    this.#set = set;
  }

  /** The least of some seconds: just started, engines still tidy up. */
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

  /** What a unit of the work took. `ours` names processes by their ids; this one is not looked at unless it is among them. */
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
    // Redis calls itself by its port alone; where it works tells whose it is.
    const commandLine = `${readFileSync(`/proc/${name}/cmdline`, 'latin1')} ${readlinkSync(`/proc/${name}/cwd`)}/`;
    return [[Number(name), { parent: Number(fields[1]), ticks, commandLine }]];
  } catch {
    // It has ended meanwhile.
    return [];
  }
}
