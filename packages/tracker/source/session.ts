import { isUuid } from './uuid.ts';

/** A session ends after half an hour without a visit. It is kept as the id and the time of its last visit, and all tabs share it. */
const idleMs = 30 * 60_000;

/** The session that is still going on at a time, if one is. A clock that was set back does not end it. */
export function ongoingSession(kept: string | undefined, atMs: number): string | undefined {
  const [id, lastMs] = (kept || '').split('.');
  return isUuid(id) && Math.abs(atMs - Number(lastMs)) < idleMs ? id : undefined;
}

export function keptSession(id: string, atMs: number): string {
  return `${id}.${atMs}`;
}
