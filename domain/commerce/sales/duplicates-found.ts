import type { Tx, UnboundLedger } from '@tributary/postgres';
import { limits } from '@tributary/vocabulary';
import { type RawBuilder, sql } from 'kysely';

interface DuplicatesFound {
  readonly profileId: string;
  readonly since: Date;
}

/** `OFFSET 0` keeps the lookup by key: joined, the sources of all profiles would be read. */
const sourceInReports = (column: 'first_source' | 'second_source'): RawBuilder<unknown> =>
  sql.raw(`SELECT s.added_at, s.decision, s.decided_at FROM sale_sources s
    WHERE s.profile_id = o.profile_id AND s.source = o.${column} AND s.excluded_from IS NULL OFFSET 0`);

/**
 * Pairs of sources that members should review. A systematic overlap is listed until a member decides on the newer
 * source, or on the other one after the overlap was found. Other pairs are listed for some days after duplicates were
 * noticed, or until a member decides on any match.
 */
const unanswered = (now: Date): RawBuilder<unknown> => sql`
  FROM sale_overlaps o
  CROSS JOIN LATERAL (${sourceInReports('first_source')}) a
  CROSS JOIN LATERAL (${sourceInReports('second_source')}) b
  WHERE NOT o.is_never
    AND NOT coalesce(a.decision IS NOT NULL AND (a.added_at >= b.added_at OR a.decided_at >= coalesce(o.found_at, o.noticed_at)), false)
    AND NOT coalesce(b.decision IS NOT NULL AND (b.added_at >= a.added_at OR b.decided_at >= coalesce(o.found_at, o.noticed_at)), false)
    AND (o.is_systematic OR (o.noticed_at > ${now}::timestamptz - make_interval(days => ${limits.sales.noticedDays})
      AND NOT EXISTS (SELECT FROM sale_decisions d WHERE d.profile_id = o.profile_id AND d.decided_at >= o.noticed_at)))`;

/** Profiles with a pair to review, ordered by id. Reads across profiles, so it needs the system role. */
export async function listDuplicatesFound(
  ledger: UnboundLedger,
  { after, now, limit }: { readonly after: string; readonly now: Date; readonly limit: number },
): Promise<DuplicatesFound[]> {
  const { rows } = await ledger.query(sql<DuplicatesFound>`
    SELECT o.profile_id AS "profileId", min(CASE WHEN o.is_systematic THEN o.found_at ELSE o.noticed_at END) AS since
    ${unanswered(now)} AND o.profile_id > ${after}
    GROUP BY o.profile_id ORDER BY o.profile_id LIMIT ${limit}`);
  return rows;
}

/** Returns the given profiles that have a pair to review. Reads across profiles, so it needs the system role. */
export async function findDuplicatesFound(
  ledger: UnboundLedger,
  profileIds: readonly string[],
  now: Date,
): Promise<Set<string>> {
  const { rows } = await ledger.query(sql<{ id: string }>`
    SELECT DISTINCT o.profile_id AS id ${unanswered(now)} AND o.profile_id = ANY (${[...profileIds]}::uuid[])`);
  return new Set(rows.map(({ id }) => id));
}

/** A day on which a record of one source became a duplicate of another's. */
export interface DuplicateDay {
  readonly source: string;
  readonly countedSource: string;
  /** Midnight, UTC. */
  readonly day: number;
}

/** At most this many days of a batch are summed; the latest are kept. */
const maxDays = 31;

/**
 * Records the first day on which duplicates of two sources exceed a small share of the day's cash. Each pair is
 * recorded once. Systematic overlaps are skipped, because members are alerted of them anyway.
 */
export async function noticeDuplicates(
  tx: Tx,
  profileId: string,
  found: readonly DuplicateDay[],
  now: Date,
): Promise<void> {
  if (found.length === 0) return;
  await sql`
    WITH found AS MATERIALIZED (
      SELECT DISTINCT o.first_source, o.second_source, f.day
      FROM unnest(
        ${found.map(({ source }) => source)}::text[], ${found.map(({ countedSource }) => countedSource)}::text[],
        ${found.map(({ day }) => new Date(day))}::timestamptz[]
      ) AS f (source, counted_source, day)
      JOIN sale_overlaps o ON o.profile_id = ${profileId} AND o.first_source = least(f.source COLLATE "C", f.counted_source)
        AND o.second_source = greatest(f.source COLLATE "C", f.counted_source)
      WHERE o.noticed_at IS NULL AND NOT o.is_systematic AND NOT o.is_never
      ORDER BY f.day DESC LIMIT ${maxDays}),
    shares AS (
      SELECT f.first_source, f.second_source, f.day, s.cash, s.duplicates FROM found f CROSS JOIN LATERAL (
        SELECT coalesce(sum(p.reporting_amount), 0) AS cash,
          coalesce(sum(p.reporting_amount) FILTER (WHERE p.uncounted = 'duplicate' AND r.source IN (f.first_source, f.second_source)), 0) AS duplicates
        FROM outcome_meanings p LEFT JOIN sale_records r ON r.profile_id = ${profileId} AND r.outcome_id = p.id
        WHERE p.profile_id = ${profileId} AND p.occurred_at >= f.day AND p.occurred_at < f.day + interval '24 hours' AND p.is_cash_record) s),
    first AS (
      SELECT first_source, second_source, min(day) AS day FROM shares
      WHERE duplicates > cash * ${limits.sales.noticedShare}::numeric GROUP BY 1, 2)
    UPDATE sale_overlaps o SET noticed_at = ${now}, noticed_day = (first.day AT TIME ZONE 'UTC')::date FROM first
    WHERE o.profile_id = ${profileId} AND o.first_source = first.first_source AND o.second_source = first.second_source`.execute(
    tx,
  );
}
