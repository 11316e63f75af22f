import type { Postgres } from '@tributary/postgres';
import { markDue } from './store.ts';

/** Marks every profile that was not scored yet on this day; the queue scores them. Resolves to how many. */
export const rebuildScores = (system: Postgres, now: Date): Promise<number> =>
  markDue(system, new Date(`${now.toISOString().slice(0, 10)}T00:00:00Z`));
