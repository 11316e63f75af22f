import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from './engine.ts';

/**
 * Private engines outlive the command that started them, so a process is known by a file: its id and the kernel's start
 * time, because an id alone may by now belong to somebody else.
 */
interface Mark {
  readonly pid: number;
  readonly startedAt: string;
  readonly stopSignal: NodeJS.Signals;
}

const markFile = (directory: string) => join(directory, 'process.json');

export function running(directory: string): Mark | undefined {
  if (!existsSync(markFile(directory))) return undefined;
  const mark = JSON.parse(readFileSync(markFile(directory), 'utf8')) as Mark;
  return startTime(mark.pid) === mark.startedAt ? mark : undefined;
}

export function launch(directory: string, command: Command): ChildProcess {
  const log = openSync(join(directory, 'engine.log'), 'a');
  const child = spawn(command.program, command.arguments, {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...command.environment },
    ...command.user,
  });
  child.unref();
  if (child.pid === undefined) throw new Error(`${command.program} did not start`);
  const mark: Mark = { pid: child.pid, startedAt: startTime(child.pid) ?? '', stopSignal: command.stopSignal };
  writeFileSync(markFile(directory), JSON.stringify(mark));
  return child;
}

/** Asks the process to leave in good order, and waits until it and its children have. */
export async function stop(directory: string): Promise<void> {
  const mark = running(directory);
  if (!mark) return;
  const family = familyOf(mark.pid);
  process.kill(mark.pid, mark.stopSignal);
  await gone(family, 30_000);
  rmSync(markFile(directory), { force: true });
}

/** kill -9 of the process and all of its children at once, as a power cut would. */
export async function kill(directory: string): Promise<void> {
  const mark = running(directory);
  if (!mark) return;
  // Frozen first: a child forked between the look and the kill would outlive its parent and keep the data directory locked.
  signal([mark.pid], 'SIGSTOP');
  while (!['T', 'Z', undefined].includes(stat(mark.pid)?.state)) await sleep(1);
  const family = familyOf(mark.pid);
  signal(family, 'SIGKILL');
  await gone(family, 10_000);
  rmSync(markFile(directory), { force: true });
}

/** Freezes the process: connections stay open and nothing answers. */
export function pause(directory: string): void {
  const mark = running(directory);
  if (mark) signal(familyOf(mark.pid), 'SIGSTOP');
}

export function resume(directory: string): void {
  const mark = running(directory);
  if (mark) signal(familyOf(mark.pid), 'SIGCONT');
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

async function gone(pids: readonly number[], timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (pids.some((pid) => startTime(pid) !== undefined)) {
    if (Date.now() > deadline) throw new Error(`processes ${pids.join(', ')} are still there after ${timeoutMs} ms`);
    await sleep(10);
  }
}

/** The process first, then its descendants. */
function familyOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync('/proc')) {
    const id = Number(entry);
    if (!Number.isInteger(id)) continue;
    const parent = stat(id)?.parent;
    if (parent !== undefined) parents.set(id, parent);
  }
  const family = [pid];
  for (let index = 0; index < family.length; index += 1) {
    for (const [child, parent] of parents) if (parent === family[index]) family.push(child);
  }
  return family;
}

function startTime(pid: number): string | undefined {
  const found = stat(pid);
  return found && (found.state !== 'Z' || hasThreads(pid)) ? found.startedAt : undefined;
}

/** The first thread of a killed process may be dead while others still are dying, and hold its ports and files until they are. */
function hasThreads(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}

/** The fields of /proc/PID/stat stand behind the program's name, which may itself hold spaces and brackets. */
function stat(pid: number): { state: string; parent: number; startedAt: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', parent: Number(fields[1]), startedAt: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}
