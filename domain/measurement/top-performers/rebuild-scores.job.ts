import type { Postgres } from '@tributary/postgres';
import { markDue } from './store.ts';

/** Marks every profile that was not scored yet today; the queue scores them. Returns their number. */
export const rebuildScores = (system: Postgres, now: Date): Promise<number> =>
  markDue(system, new Date(`${now.toISOString().slice(0, 10)}T00:00:00Z`));
