import type { Tx } from '@tributary/postgres';
import { type FitRefusal, type FitState, limits, type TacticName } from '@tributary/vocabulary';
import { sql } from 'kysely';

const hourMs = 3_600_000;

export interface Fit {
  readonly id: string;
  readonly state: FitState;
  readonly reason: FitRefusal | null;
  readonly requestedAt: Date;
  readonly finishedAt: Date | null;
  readonly creditedFrom: Date | null;
  readonly creditedUntil: Date | null;
  readonly purchases: number | null;
  readonly seenPct: number | null;
  readonly people: number | null;
  readonly fingerprints: Record<string, string> | null;
}

const columns = sql`id, state, reason, requested_at AS "requestedAt", finished_at AS "finishedAt", credited_from AS "creditedFrom",
  credited_until AS "creditedUntil", purchases, seen_pct AS "seenPct", histories AS people, fingerprints`;

async function one(tx: Tx, profileId: string, which: ReturnType<typeof sql>): Promise<Fit | undefined> {
  const { rows } = await sql<Fit>`
    SELECT ${columns} FROM model_fits WHERE profile_id = ${profileId} AND ${which}
    ORDER BY requested_at DESC, id DESC LIMIT 1`.execute(tx);
  return rows[0];
}

export const findLatest = (tx: Tx, profileId: string) => one(tx, profileId, sql`true`);
export const findServed = (tx: Tx, profileId: string) => one(tx, profileId, sql`state = 'done'`);
/** The last fit that ended with a result or a refusal because of the data. */
export const findSettled = (tx: Tx, profileId: string) => one(tx, profileId, sql`state IN ('done', 'refused')`);
export const findWaiting = (tx: Tx, profileId: string) => one(tx, profileId, sql`state IN ('queued', 'running')`);

/** Undefined if one is already queued or running. */
export async function addFit(tx: Tx, profileId: string, id: string, now: Date): Promise<Fit | undefined> {
  const { rows } = await sql<Fit>`
    INSERT INTO model_fits (profile_id, id, state, requested_at) VALUES (${profileId}, ${id}, 'queued', ${now})
    ON CONFLICT DO NOTHING RETURNING ${columns}`.execute(tx);
  return rows[0];
}

/** Fails fits that no worker processes any more, so that they do not block new ones. */
export async function failStuckFits(tx: Tx, profileId: string, now: Date): Promise<void> {
  const before = new Date(+now - limits.models.fitHours * hourMs);
  await sql`
    UPDATE model_fits SET state = 'failed', finished_at = ${now}
    WHERE profile_id = ${profileId} AND state IN ('queued', 'running') AND requested_at < ${before}`.execute(tx);
}

export async function failFit(tx: Tx, profileId: string, id: string, now: Date): Promise<void> {
  await sql`
    UPDATE model_fits SET state = 'failed', finished_at = ${now}
    WHERE profile_id = ${profileId} AND id = ${id} AND state IN ('queued', 'running')`.execute(tx);
}

/** Undefined if the fit has already ended. */
export async function beginFit(tx: Tx, profileId: string, id: string): Promise<Fit | undefined> {
  const { rows } = await sql<Fit>`
    UPDATE model_fits SET state = 'running' WHERE profile_id = ${profileId} AND id = ${id} AND state IN ('queued', 'running')
    RETURNING ${columns}`.execute(tx);
  return rows[0];
}

/** The tactics that members set for campaigns. */
export async function listTactics(tx: Tx, profileId: string, ids: readonly string[]): Promise<Map<string, TacticName>> {
  const { rows } = await sql<{ id: string; tactic: TacticName }>`
    SELECT entity_id AS id, tactic FROM campaign_tactics WHERE profile_id = ${profileId} AND entity_id = ANY (${ids}::uuid[])`.execute(
    tx,
  );
  return new Map(rows.map(({ id, tactic }) => [id, tactic]));
}

export async function saveTactic(tx: Tx, profileId: string, id: string, tactic: TacticName, now: Date): Promise<void> {
  await sql`
    INSERT INTO campaign_tactics (profile_id, entity_id, tactic, said_at) VALUES (${profileId}, ${id}, ${tactic}, ${now})
    ON CONFLICT (profile_id, entity_id) DO UPDATE SET tactic = excluded.tactic, said_at = excluded.said_at`.execute(tx);
}

type FitResult = Pick<Fit, 'state' | 'reason' | 'creditedFrom' | 'creditedUntil' | 'purchases' | 'seenPct'> &
  Partial<Pick<Fit, 'people' | 'fingerprints'>>;

export async function endFit(tx: Tx, profileId: string, id: string, result: FitResult, now: Date): Promise<void> {
  const { state, reason, creditedFrom, creditedUntil, purchases, seenPct, people = null, fingerprints = null } = result;
  await sql`
    UPDATE model_fits SET state = ${state}, reason = ${reason}, finished_at = ${now}, credited_from = ${creditedFrom},
      credited_until = ${creditedUntil}, purchases = ${purchases}, seen_pct = ${seenPct}, histories = ${people},
      fingerprints = ${fingerprints && JSON.stringify(fingerprints)}::jsonb
    WHERE profile_id = ${profileId} AND id = ${id} AND state = 'running'`.execute(tx);
}
