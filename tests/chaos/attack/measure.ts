import { readFileSync } from 'node:fs';

/** CPU that a process has used so far, in milliseconds: what else the machine does is not in it. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  // utime and stime, in hundredths of a second; the first of the rest is the state.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Its memory, in megabytes. */
export function residentMegabytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}
