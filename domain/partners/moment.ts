import { limits } from '@tributary/vocabulary';
import { refuseField } from './named-customers.ts';

/** When it happened: now, where nobody says. */
export function momentOf(said: string | null | undefined, now: Date, field = 'occurred_at'): Date {
  const at = said ? new Date(said) : now;
  const { maxAheadMinutes } = limits.events;
  if (at.getTime() > now.getTime() + maxAheadMinutes * 60_000)
    refuseField(field, `is more than ${maxAheadMinutes} minutes ahead of our clock`);
  return at;
}
