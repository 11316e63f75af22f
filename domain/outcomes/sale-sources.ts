import type { Tx } from '@tributary/postgres';
import type { OverlapDecision } from '@tributary/vocabulary';
import { type RawBuilder, sql } from 'kysely';

/** A source that reported payments: the business itself by one of its ways, or a provider through a connection. */
export interface SaleSource {
  readonly source: string;
  readonly connectionId: string | null;
  readonly isScanned: boolean;
  readonly decision: OverlapDecision | null;
  readonly decidedAt: Date | null;
  /** Its payments since then are in no report; -infinity is the beginning. */
  readonly excludedFrom: Date | null;
  readonly isExcludedWhole: boolean;
}

const sourceKey = (source: string, connectionId: string | null): string =>
  connectionId === null ? source : `${source}:${connectionId}`;

/** The same as an expression over an outcome `o`. */
export const sourceOf: RawBuilder<string> = sql.raw(`(o.source || coalesce(':' || o.connection_id, ''))`);

/**
 * Notes who reported payments of a profile. Resolves to whether new ones wait for the matching: another source reports payments, too, or
 * this one is excluded from reports.
 */
export async function noteSaleSource(
  tx: Tx,
  profileId: string,
  source: string,
  connectionId: string | null,
): Promise<boolean> {
  const key = sourceKey(source, connectionId);
  const { rows } = await sql<{ isNew: boolean; waits: boolean }>`
    SELECT NOT EXISTS (SELECT FROM sale_sources WHERE profile_id = ${profileId} AND source = ${key}) AS "isNew",
      EXISTS (SELECT FROM sale_sources WHERE profile_id = ${profileId} AND (source <> ${key} OR excluded_from IS NOT NULL)) AS waits`.execute(
    tx,
  );
  if (!rows[0]?.isNew) return rows[0]?.waits ?? false;
  // The first payment of a source, once: whatever reported before without a note of its own gets one, too.
  await sql`
    INSERT INTO sale_sources (profile_id, source, connection_id)
    SELECT ${profileId}::uuid, source, connection_id FROM (
      SELECT ${key}::text AS source, ${connectionId}::uuid AS connection_id
      UNION
      SELECT DISTINCT ${sourceOf}, o.connection_id FROM outcomes o WHERE o.profile_id = ${profileId} AND o.is_first_payment IS NOT NULL
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

/** Writes what a member decided of a source. */
export async function saveSaleSource(
  tx: Tx,
  profileId: string,
  source: string,
  decided: Pick<SaleSource, 'decision' | 'decidedAt'> & {
    /** A moment, or from the beginning. */
    readonly excludedFrom: string | null;
  },
): Promise<void> {
  const { decision, decidedAt, excludedFrom } = decided;
  await sql`
    UPDATE sale_sources SET decision = ${decision}, decided_at = ${decidedAt},
      excluded_from = ${excludedFrom === 'beginning' ? '-infinity' : excludedFrom}
    WHERE profile_id = ${profileId} AND source = ${source}`.execute(tx);
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
