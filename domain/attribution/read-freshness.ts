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

/** From what the ledger has marked: it is known although nobody works it off. */
export async function readAttributionStage(tx: Tx, profileId: string, now: Date): Promise<Stage> {
  const { rows } = await sql<{ since: Date | null; isBehind: boolean }>`
    SELECT (SELECT marked_at FROM dirty_conversions WHERE profile_id = ${profileId} ORDER BY revision LIMIT 1) AS since,
      EXISTS (SELECT FROM attribution_freshness WHERE profile_id = ${profileId} AND state = 'behind') AS "isBehind"`.execute(
    tx,
  );
  const { since = null, isBehind = false } = rows[0] ?? {};
  const stage = stageOf(since, now);
  return isBehind ? { ...stage, state: 'behind' } : stage;
}
