import type { Freshness } from '@tributary/contract';
import type { Tx } from '@tributary/postgres';
import { limits, minuteMs } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** How far a stage of the figures is: since when its oldest change waits. */
export interface Stage {
  readonly state: Freshness;
  readonly waitingSince: Date | null;
}

const patienceMs = limits.freshness.behindAfterMinutes * minuteMs;

/** Something always waits for a moment. It is late when it has waited longer than that. */
export const stageOf = (waitingSince: Date | null, now: Date): Stage => ({
  state: waitingSince !== null && now.getTime() - waitingSince.getTime() > patienceMs ? 'behind' : 'current',
  waitingSince,
});

/** The same as of this moment, for whoever looks for all that is late. */
export const lateSince = (now: Date): Date => new Date(now.getTime() - patienceMs);

/**
 * From what the ledger has marked: it is known although nobody works it off. After a change of currency figures are behind until all that it
 * marked is worked off, however soon that is: before, they are of two currencies.
 */
export async function readAttributionStage(tx: Tx, profileId: string, now: Date): Promise<Stage> {
  const { rows } = await sql<Found>`
    SELECT (SELECT marked_at FROM dirty_conversions WHERE profile_id = p.id ORDER BY revision LIMIT 1) AS since,
      EXISTS (SELECT FROM attribution_freshness WHERE profile_id = p.id AND state = 'behind') AS "isBehind",
      p.repricing_since AS "repricingSince", p.repriced_at AS "repricedAt"
    FROM profiles p WHERE p.id = ${profileId}`.execute(tx);
  const { since = null, isBehind = false, repricingSince = null, repricedAt = null } = rows[0] ?? {};
  const isRepricing = repricingSince !== null && (repricedAt === null || (since !== null && since <= repricedAt));
  if (isRepricing) return { state: 'behind', waitingSince: repricingSince };
  const stage = stageOf(since, now);
  return isBehind ? { ...stage, state: 'behind' } : stage;
}

interface Found {
  readonly since: Date | null;
  readonly isBehind: boolean;
  readonly repricingSince: Date | null;
  readonly repricedAt: Date | null;
}
