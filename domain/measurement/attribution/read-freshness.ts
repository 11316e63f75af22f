import type { Freshness } from '@tributary/contract';
import type { Tx } from '@tributary/postgres';
import { limits, minuteMs } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** Freshness of a stage, with the time since which its oldest change waits. */
export interface Stage {
  readonly state: Freshness;
  readonly waitingSince: Date | null;
}

const behindAfterMs = limits.freshness.behindAfterMinutes * minuteMs;

/** Short waits are normal; a stage is behind when its oldest change waits longer than the limit. */
export const stageOf = (waitingSince: Date | null, now: Date): Stage => ({
  state: waitingSince !== null && now.getTime() - waitingSince.getTime() > behindAfterMs ? 'behind' : 'current',
  waitingSince,
});

/** Changes that wait since before this moment are late. */
export const lateSince = (now: Date): Date => new Date(now.getTime() - behindAfterMs);

/**
 * Reads freshness from the dirty marks of the ledger, so it is correct even when no worker runs. After a currency change figures stay
 * behind until all marks of that change are processed, because until then they mix two currencies.
 */
export async function readAttributionStage(tx: Tx, profileId: string, now: Date): Promise<Stage> {
  const { rows } = await sql<FreshnessRow>`
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

interface FreshnessRow {
  readonly since: Date | null;
  readonly isBehind: boolean;
  readonly repricingSince: Date | null;
  readonly repricedAt: Date | null;
}
