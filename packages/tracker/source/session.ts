import { isUuid } from './uuid.ts';

/**
 * A session ends after half an hour without a visit. It is stored as its id and the time of its last visit, and shared by all
 * tabs.
 */
const idleMs = 30 * 60_000;

/** Returns the session that is active at the time, if any. A clock that was set back a little does not end it. */
export function getActiveSession(stored: string | undefined, atMs: number): string | undefined {
  const [id, lastMs] = (stored || '').split('.');
  return isUuid(id) && Math.abs(atMs - Number(lastMs)) < idleMs ? id : undefined;
}

export function formatSession(id: string, atMs: number): string {
  return `${id}.${atMs}`;
}
