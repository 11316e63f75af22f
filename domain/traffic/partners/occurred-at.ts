import { limits } from '@tributary/vocabulary';
import { refuseField } from './resolve-customers.ts';

/** Parses the time of an event; the default is now. */
export function parseOccurredAt(text: string | null | undefined, now: Date, field = 'occurred_at'): Date {
  const at = text ? new Date(text) : now;
  const { maxAheadMinutes } = limits.events;
  if (at.getTime() > now.getTime() + maxAheadMinutes * 60_000)
    refuseField(field, `is more than ${maxAheadMinutes} minutes ahead of our clock`);
  return at;
}
