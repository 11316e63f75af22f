import type { Tx } from '@tributary/postgres';
import { limits, nilUuid } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { sourceOf } from './sale-sources.ts';

/** A rescan of a source: marks all of its payments dirty, in batches. */
export interface SaleRescan {
  readonly id: string;
  readonly source: string;
  /** True when matches are unchanged and only the counted records are recomputed. */
  readonly isMatched: boolean;
}

/** Schedules a rescan of all payments of the sources. A running rescan starts over. */
export async function rescanSources(
  tx: Tx,
  profileId: string,
  sources: readonly string[],
  scope: 'matches' | 'counted',
): Promise<void> {
  await sql`
    INSERT INTO sale_rescans AS r (profile_id, source, is_matched)
    SELECT ${profileId}::uuid, source, ${scope === 'counted'} FROM unnest(${[...sources].sort()}::text[]) AS source
    ON CONFLICT (profile_id, source) DO UPDATE SET id = excluded.id, after_id = NULL, is_matched = r.is_matched AND excluded.is_matched`.execute(
    tx,
  );
}

/** Schedules matching for sources that were never scanned. Resolves to the number of such sources. */
export async function markScanned(tx: Tx, profileId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ source: string }>`
    UPDATE sale_sources SET scanned_at = ${now} WHERE profile_id = ${profileId} AND scanned_at IS NULL RETURNING source`.execute(
    tx,
  );
  if (rows.length > 0)
    await rescanSources(
      tx,
      profileId,
      rows.map(({ source }) => source),
      'matches',
    );
  return rows.length;
}

export async function findRescan(tx: Tx, profileId: string): Promise<SaleRescan | undefined> {
  const { rows } = await sql<SaleRescan>`
    SELECT id, source, is_matched AS "isMatched" FROM sale_rescans WHERE profile_id = ${profileId} ORDER BY source LIMIT 1`.execute(
    tx,
  );
  return rows[0];
}

/** Marks the next batch of a rescan, which ends with the profile's last outcome. */
export async function continueRescan(tx: Tx, profileId: string, { id }: SaleRescan): Promise<void> {
  const { rows } = await sql<{ source: string; isMatched: boolean; after: string | null }>`
    SELECT source, is_matched AS "isMatched", after_id AS after FROM sale_rescans
    WHERE profile_id = ${profileId} AND id = ${id} FOR UPDATE`.execute(tx);
  const [rescan] = rows;
  if (!rescan) return;
  const { rescannedAtOnce } = limits.sales;
  const { rows: reads } = await sql<{ last: string | null; count: number }>`
    WITH part AS MATERIALIZED (
      SELECT o.id, o.amount, ${sourceOf} AS source FROM outcomes o
      WHERE o.profile_id = ${profileId} AND o.id > ${rescan.after ?? nilUuid} ORDER BY o.id LIMIT ${rescannedAtOnce}),
    marked AS (
      INSERT INTO dirty_sales AS d (profile_id, outcome_id, is_matched)
      SELECT ${profileId}::uuid, id, ${rescan.isMatched} FROM part WHERE amount > 0 AND source = ${rescan.source} ORDER BY id
      ON CONFLICT (profile_id, outcome_id) DO UPDATE
        SET revision = nextval('dirty_revision'), is_matched = d.is_matched AND excluded.is_matched)
    SELECT (SELECT id FROM part ORDER BY id DESC LIMIT 1) AS last, count(*)::int AS count FROM part`.execute(tx);
  const { last = null, count = 0 } = reads[0] ?? {};
  if (count === rescannedAtOnce)
    await sql`UPDATE sale_rescans SET after_id = ${last} WHERE profile_id = ${profileId} AND id = ${id}`.execute(tx);
  else await endRescan(tx, profileId, id);
}

export async function endRescan(tx: Tx, profileId: string, id: string): Promise<void> {
  await sql`DELETE FROM sale_rescans WHERE profile_id = ${profileId} AND id = ${id}`.execute(tx);
}

/** Whether payments wait to be matched or counted. */
export async function isSalePending(tx: Tx, profileId: string): Promise<boolean> {
  const { rows } = await sql<{ isPending: boolean }>`
    SELECT EXISTS (SELECT FROM dirty_sales WHERE profile_id = ${profileId})
      OR EXISTS (SELECT FROM sale_rescans WHERE profile_id = ${profileId}) AS "isPending"`.execute(tx);
  return rows[0]?.isPending ?? false;
}
