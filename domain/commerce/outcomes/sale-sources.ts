import type { Tx } from '@tributary/postgres';
import type { OverlapDecision } from '@tributary/vocabulary';
import { type RawBuilder, sql } from 'kysely';

/** A source of payments: the business through the API, a file or a browser, or a provider through a connection. */
export interface SaleSource {
  readonly source: string;
  readonly connectionId: string | null;
  readonly isScanned: boolean;
  readonly decision: OverlapDecision | null;
  readonly decidedAt: Date | null;
  /** Reports exclude its payments since this time. */
  readonly excludedFrom: Date | null;
  readonly isExcludedWhole: boolean;
}

const sourceKey = (source: string, connectionId: string | null): string =>
  connectionId === null ? source : `${source}:${connectionId}`;

/** `sourceKey` as an SQL expression over an outcome `o`. */
export const sourceOf: RawBuilder<string> = sql.raw(`(o.source || coalesce(':' || o.connection_id, ''))`);

/**
 * Records that a source reported payments. Resolves to whether new payments must wait for matching: another source reports payments too, or
 * this source is excluded from reports.
 */
export async function recordSaleSource(
  tx: Tx,
  profileId: string,
  source: string,
  connectionId: string | null,
): Promise<boolean> {
  const key = sourceKey(source, connectionId);
  const { rows } = await sql<{ isNew: boolean; waits: boolean }>`
    SELECT coalesce(bool_and(source <> ${key}), true) AS "isNew", coalesce(bool_or(source <> ${key} OR excluded_from IS NOT NULL), false) AS waits
    FROM sale_sources WHERE profile_id = ${profileId}`.execute(tx);
  if (!rows[0]?.isNew) return rows[0]?.waits ?? false;
  // First payment of this source. Also inserts sources whose payments were recorded before this table existed.
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

const columns = sql.raw(`
  source, connection_id AS "connectionId", scanned_at IS NOT NULL AS "isScanned", decision, decided_at AS "decidedAt",
  CASE WHEN isfinite(excluded_from) THEN excluded_from END AS "excludedFrom",
  coalesce(NOT isfinite(excluded_from), false) AS "isExcludedWhole"`);

export async function listSaleSources(tx: Tx, profileId: string): Promise<SaleSource[]> {
  const { rows } = await sql<SaleSource>`
    SELECT ${columns} FROM sale_sources WHERE profile_id = ${profileId} ORDER BY source`.execute(tx);
  return rows;
}

export async function lockSaleSource(tx: Tx, profileId: string, source: string): Promise<SaleSource | undefined> {
  const { rows } = await sql<SaleSource>`
    SELECT ${columns} FROM sale_sources WHERE profile_id = ${profileId} AND source = ${source} FOR UPDATE`.execute(tx);
  return rows[0];
}

/** Stores a member's decision on a source. */
export async function saveSaleSource(
  tx: Tx,
  profileId: string,
  source: string,
  decided: Pick<SaleSource, 'decision' | 'decidedAt'> & {
    /** An instant, 'beginning' or null. */
    readonly excludedFrom: string | null;
  },
): Promise<void> {
  const { decision, decidedAt, excludedFrom } = decided;
  await sql`
    UPDATE sale_sources SET decision = ${decision}, decided_at = ${decidedAt},
      excluded_from = ${excludedFrom === 'beginning' ? '-infinity' : excludedFrom}
    WHERE profile_id = ${profileId} AND source = ${source}`.execute(tx);
}

/** A payment whose sale must be matched again. */
export interface DirtySale {
  readonly id: string;
  readonly revision: string;
  /** True when its matches are found and only the counted record is still to be decided. */
  readonly isMatched: boolean;
}

/** Dirty sales, unmatched ones first, without payments of the given connections. */
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
