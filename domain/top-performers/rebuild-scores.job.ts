import type { Postgres } from '@tributary/postgres';
import { type Engines, rebuildProfile } from './rebuild-profile.ts';
import { claimProfile, listProfiles } from './store.ts';

/** Longer than a profile takes. Whoever dies over one leaves it to the next after this. */
const leaseMs = 10 * 60_000;

export interface ScoreWork extends Engines {
  readonly system: Postgres;
  readonly now: () => Date;
}

/**
 * Scores the ads of every profile that was not scored yet on this day, one after another, and resolves to how many. Stopped or
 * killed, it goes on with those that are left. One that fails is left for the next try and costs the others nothing.
 */
export async function rebuildScores({ app, system, clickhouse, now }: ScoreWork, signal: AbortSignal): Promise<number> {
  await listProfiles(system);
  const failures: unknown[] = [];
  for (let done = 0; ; ) {
    signal.throwIfAborted();
    const at = now();
    const profileId = await claimProfile(system, startOfDay(at), at, new Date(at.getTime() + leaseMs));
    if (!profileId) {
      if (failures.length > 0) throw new AggregateError(failures, `${failures.length} profiles could not be scored.`);
      return done;
    }
    try {
      await rebuildProfile({ app, clickhouse }, profileId, at, signal);
      done += 1;
    } catch (error) {
      if (signal.aborted) throw error;
      failures.push(error);
    }
  }
}

const startOfDay = (at: Date): Date => new Date(`${at.toISOString().slice(0, 10)}T00:00:00Z`);
