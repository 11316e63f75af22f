import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from './engine.ts';

/**
 * Private engines outlive the command that started them, so a file records each process. It holds the id and the kernel's start time,
 * because the id alone may have been reused.
 */
interface ProcessRecord {
  readonly pid: number;
  readonly startedAt: string;
  readonly stopSignal: NodeJS.Signals;
}

const recordFile = (directory: string) => join(directory, 'process.json');

export function running(directory: string): ProcessRecord | undefined {
  if (!existsSync(recordFile(directory))) return undefined;
  const record = JSON.parse(readFileSync(recordFile(directory), 'utf8')) as ProcessRecord;
  return startTime(record.pid) === record.startedAt ? record : undefined;
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
  const record: ProcessRecord = {
    pid: child.pid,
    startedAt: startTime(child.pid) ?? '',
    stopSignal: command.stopSignal,
  };
  writeFileSync(recordFile(directory), JSON.stringify(record));
  return child;
}

/** Stops the process gracefully, and waits until it and its children have exited. */
export async function stop(directory: string): Promise<void> {
  const record = running(directory);
  if (!record) return;
  const family = listFamily(record.pid);
  process.kill(record.pid, record.stopSignal);
  await waitForExit(family, 30_000);
  rmSync(recordFile(directory), { force: true });
}

/** kill -9 of the process and all of its children at once, like a power cut. */
export async function kill(directory: string): Promise<void> {
  const record = running(directory);
  if (!record) return;
  // Freezes it first: a child forked between the listing and the kill would survive and keep the data directory locked.
  signal([record.pid], 'SIGSTOP');
  while (!['T', 'Z', undefined].includes(stat(record.pid)?.state)) await sleep(1);
  const family = listFamily(record.pid);
  signal(family, 'SIGKILL');
  await waitForExit(family, 10_000);
  rmSync(recordFile(directory), { force: true });
}

/** Freezes the process: connections stay open and nothing answers. */
export function pause(directory: string): void {
  const record = running(directory);
  if (record) signal(listFamily(record.pid), 'SIGSTOP');
}

export function resume(directory: string): void {
  const record = running(directory);
  if (record) signal(listFamily(record.pid), 'SIGCONT');
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

async function waitForExit(pids: readonly number[], timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (pids.some((pid) => startTime(pid) !== undefined)) {
    if (Date.now() > deadline) throw new Error(`processes ${pids.join(', ')} are still there after ${timeoutMs} ms`);
    await sleep(10);
  }
}

/** The process first, then its descendants. */
function listFamily(pid: number): number[] {
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
  const status = stat(pid);
  return status && (status.state !== 'Z' || hasThreads(pid)) ? status.startedAt : undefined;
}

/** The first thread of a killed process may be dead while others are still exiting and hold its ports and files. */
function hasThreads(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}

/** The fields of /proc/PID/stat follow the program's name, which may contain spaces and parentheses. */
function stat(pid: number): { state: string; parent: number; startedAt: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', parent: Number(fields[1]), startedAt: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}
