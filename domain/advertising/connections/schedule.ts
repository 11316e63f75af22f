import { createHash } from 'node:crypto';
import { hourMs, minuteMs } from '@tributary/vocabulary';

/** A stable number from 0 to 1 per connection, evenly distributed. */
export const getShare = (connectionId: string): number =>
  createHash('sha256').update(connectionId).digest().readUInt32BE(0) / 2 ** 32;

/** The next regular run: hourly, at a minute specific to the connection, so that load is spread. */
export function nextRunAt(connectionId: string, now: Date): Date {
  const offset = Math.floor(getShare(connectionId) * hourMs);
  const hour = Math.floor(now.getTime() / hourMs) * hourMs;
  const at = hour + offset;
  return new Date(at > now.getTime() ? at : at + hourMs);
}

const minWaitMs = 30_000;

/** The delay after repeated failures without progress: exponential backoff, at least what the provider requests. */
export function waitAfter(failures: number, requestedMs: number | undefined, random: number): number {
  const backoffMs = Math.min(hourMs, minWaitMs * 2 ** Math.min(10, failures - 1));
  return Math.max(requestedMs ?? 0, backoffMs) + random * 10_000;
}

/** The pause after an app-wide rate limit without a given time. */
export const usualPauseMs = 5 * minuteMs;

/** Spreads connections that waited for the same pause. */
export const resumeAfterPause = (connectionId: string, until: Date): Date =>
  new Date(until.getTime() + getShare(connectionId) * 2 * minuteMs);
