import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second, on every Linux there is. */
const ticksPerSecond = 100;

interface Process {
  readonly parent: number;
  /** Of its own, and of its children that have ended. */
  readonly ticks: number;
  readonly commandLine: string;
}

/** CPU seconds that the processes of an engine set have used so far, and this one. A slow minute of the machine changes them little. */
export function cpuSeconds(set: string): number {
  const processes = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap(readProcess),
  );
  const isOfSet = (pid: number): boolean => {
    const found = processes.get(pid);
    return found !== undefined && (found.commandLine.includes(`/${set}/`) || isOfSet(found.parent));
  };
  let ticks = 0;
  for (const [pid, found] of processes) if (pid !== process.pid && isOfSet(pid)) ticks += found.ticks;
  const { user, system } = process.cpuUsage();
  return ticks / ticksPerSecond + (user + system) / 1e6;
}

function readProcess(name: string): [number, Process][] {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
    const commandLine = readFileSync(`/proc/${name}/cmdline`, 'latin1');
    return [[Number(name), { parent: Number(fields[1]), ticks, commandLine }]];
  } catch {
    // It has ended meanwhile.
    return [];
  }
}
