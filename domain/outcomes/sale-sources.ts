import type { Tx } from '@tributary/postgres';
import type { OverlapDecision } from '@tributary/vocabulary';
import { type RawBuilder, sql } from 'kysely';

/** A source that reported payments: the business itself by one of its ways, or a provider through a connection. */
interface SaleSource {
  readonly source: string;
  readonly connectionId: string | null;
  readonly isScanned: boolean;
  readonly decision: OverlapDecision | null;
  /** Its payments since then are in no report; -infinity is the beginning. */
  readonly excludedFrom: Date | null;
  readonly isExcludedWhole: boolean;
}

const sourceKey = (source: string, connectionId: string | null): string =>
  connectionId === null ? source : `${source}:${connectionId}`;

/** The same as an expression over an outcome `o`. */
export const sourceOf: RawBuilder<string> = sql.raw(`(o.source || coalesce(':' || o.connection_id, ''))`);

/** Notes who reported payments of a profile. Resolves to whether another source did so, too. */
export async function noteSaleSource(
  tx: Tx,
  profileId: string,
  source: string,
  connectionId: string | null,
): Promise<boolean> {
  const key = sourceKey(source, connectionId);
  const { rows } = await sql<{ isNew: boolean; hasOthers: boolean }>`
    SELECT coalesce(bool_and(source <> ${key}), true) AS "isNew", coalesce(bool_or(source <> ${key}), false) AS "hasOthers"
    FROM sale_sources WHERE profile_id = ${profileId}`.execute(tx);
  if (!rows[0]?.isNew) return rows[0]?.hasOthers ?? false;
  // The first payment of a source, once: whatever reported before without a note of its own gets one, too.
  await sql`
    INSERT INTO sale_sources (profile_id, source, connection_id)
    SELECT ${profileId}::uuid, source, connection_id FROM (
      SELECT ${key}::text AS source, ${connectionId}::uuid AS connection_id
      UNION
      SELECT DISTINCT ${sourceOf}, o.connection_id FROM outcome_meanings o WHERE o.profile_id = ${profileId} AND o.is_cash_record
    ) s ORDER BY 2
    ON CONFLICT DO NOTHING`.execute(tx);
  return (await listSaleSources(tx, profileId)).length > 1;
}

export async function listSaleSources(tx: Tx, profileId: string): Promise<SaleSource[]> {
  const { rows } = await sql<SaleSource>`
    SELECT source, connection_id AS "connectionId", scanned_at IS NOT NULL AS "isScanned", decision,
      CASE WHEN isfinite(excluded_from) THEN excluded_from END AS "excludedFrom",
      coalesce(NOT isfinite(excluded_from), false) AS "isExcludedWhole"
    FROM sale_sources WHERE profile_id = ${profileId} ORDER BY source`.execute(tx);
  return rows;
}

/** Marks all payments of sources for matching that were not looked at yet. Resolves to how many sources there were. */
export async function markScanned(tx: Tx, profileId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ source: string }>`
    UPDATE sale_sources SET scanned_at = ${now} WHERE profile_id = ${profileId} AND scanned_at IS NULL RETURNING source`.execute(
    tx,
  );
  if (rows.length > 0)
    await markSourceDirty(
      tx,
      profileId,
      rows.map(({ source }) => source),
    );
  return rows.length;
}

/** All payments of sources are matched again. */
async function markSourceDirty(tx: Tx, profileId: string, sources: readonly string[]): Promise<void> {
  await sql`
    INSERT INTO dirty_sales AS d (profile_id, outcome_id)
    SELECT ${profileId}::uuid, o.id FROM outcome_meanings o
    WHERE o.profile_id = ${profileId} AND o.is_cash_record
      AND ${sourceOf} = ANY (${[...sources]}::text[])
    ORDER BY o.id
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'), is_matched = false`.execute(
    tx,
  );
}

/** A payment whose sale has to be found again. */
export interface DirtySale {
  readonly id: string;
  readonly revision: string;
  /** Its matches are found, and what counts follows. */
  readonly isMatched: boolean;
}

/** What waits, those first whose matches are not found yet. Payments of some connections are left out. */
export async function listDirtySales(
  tx: Tx,
  profileId: string,
  exceptConnections: readonly string[],
  limit: number,
): Promise<DirtySale[]> {
  const isOther =
    exceptConnections.length === 0
      ? sql``
      : sql`AND NOT EXISTS (SELECT FROM outcomes o WHERE o.profile_id = d.profile_id AND o.id = d.outcome_id
          AND o.connection_id = ANY (${[...exceptConnections]}::uuid[]))`;
  const { rows } = await sql<DirtySale>`
    SELECT d.outcome_id AS id, d.revision, d.is_matched AS "isMatched" FROM dirty_sales d
    WHERE d.profile_id = ${profileId} ${isOther}
    ORDER BY d.is_matched, d.revision LIMIT ${limit}`.execute(tx);
  return rows;
}
