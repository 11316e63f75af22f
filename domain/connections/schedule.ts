import { createHash } from 'node:crypto';
import { hourMs, minuteMs } from '@tributary/vocabulary';

/** A number from 0 to 1 that is a connection's own, and spread evenly over all of them. */
export const shareOf = (connectionId: string): number =>
  createHash('sha256').update(connectionId).digest().readUInt32BE(0) / 2 ** 32;

/** The next regular run: once an hour, each connection at a minute of its own, so that they do not all come at once. */
export function nextRunAt(connectionId: string, now: Date): Date {
  const own = Math.floor(shareOf(connectionId) * hourMs);
  const hour = Math.floor(now.getTime() / hourMs) * hourMs;
  const at = hour + own;
  return new Date(at > now.getTime() ? at : at + hourMs);
}

const shortestWaitMs = 30_000;

/** How long a run waits that failed so many times without getting any further: what the provider asks for, and ever longer. */
export function waitAfter(failures: number, askedMs: number | undefined, random: number): number {
  const growing = Math.min(hourMs, shortestWaitMs * 2 ** Math.min(10, failures - 1));
  return Math.max(askedMs ?? 0, growing) + random * 10_000;
}

/** A limit of the app that says no time. */
export const usualPauseMs = 5 * minuteMs;

/** Those who waited for the same end of a pause come one after the other. */
export const afterPause = (connectionId: string, until: Date): Date =>
  new Date(until.getTime() + shareOf(connectionId) * 2 * minuteMs);
