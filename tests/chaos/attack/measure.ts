import { readFileSync } from 'node:fs';

/** CPU time that the process has used so far, in milliseconds. Unlike elapsed time, it excludes other load on the machine. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  // utime and stime, in hundredths of a second. Index 0 is the state, because the pid and command were cut off.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resident memory of the process, in megabytes. */
export function residentMegabytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}
