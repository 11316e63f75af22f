import { listSaleSources } from '@tributary/domain/commerce/outcomes';
import type { Tx } from '@tributary/postgres';
import { isSystematicOverlap } from '@tributary/rules';
import { sql } from 'kysely';

export interface Overlap {
  readonly firstSource: string;
  readonly secondSource: string;
  readonly records: number;
  readonly partners: number;
  readonly isSystematic: boolean;
  readonly isNever: boolean;
  readonly foundAt: Date | null;
}

export async function listOverlaps(tx: Tx, profileId: string): Promise<Overlap[]> {
  const { rows } = await sql<Overlap>`
    SELECT first_source AS "firstSource", second_source AS "secondSource", records, partners, is_systematic AS "isSystematic", is_never AS "isNever",
      found_at AS "foundAt"
    FROM sale_overlaps WHERE profile_id = ${profileId} ORDER BY first_source, second_source`.execute(tx);
  return rows;
}

/**
 * Reads how each pair of sources is counted, from the measured overlap and from members' statements on the pair and on
 * each source.
 */
export async function overlapReader(tx: Tx, profileId: string) {
  const sources = await listSaleSources(tx, profileId);
  const overlaps = await listOverlaps(tx, profileId);
  const both = new Set(sources.filter(({ decision }) => decision === 'count_both').map(({ source }) => source));
  const stated = new Map(overlaps.map((one) => [`${one.firstSource}|${one.secondSource}`, one]));
  const getOverlap = (one: string, other: string): 'systematic' | 'unknown' | 'never' => {
    const overlap = stated.get(one < other ? `${one}|${other}` : `${other}|${one}`);
    if (overlap?.isNever || both.has(one) || both.has(other)) return 'never';
    return overlap?.isSystematic ? 'systematic' : 'unknown';
  };
  return { sources, getOverlap };
}

/**
 * Measures, for each pair of sources, how many payments of the newer one have a partner within their common period. If
 * that changes what counts, the matches of the pair are settled again. The alert `duplicates_found` reads the result.
 */
export async function measureOverlaps(tx: Tx, profileId: string, now: Date): Promise<void> {
  const before = new Map(
    (await listOverlaps(tx, profileId)).map((one) => [`${one.firstSource}|${one.secondSource}`, one]),
  );
  const sources = await listSaleSources(tx, profileId);
  const { rows } = await sql<{ firstSource: string; secondSource: string; partners: number; records: number }>`
    WITH spans AS MATERIALIZED (
      SELECT s.source, span.low, span.high FROM unnest(${sources.map(({ source }) => source)}::text[]) AS s (source) CROSS JOIN LATERAL (
        SELECT (SELECT occurred_at FROM sale_records r WHERE r.profile_id = ${profileId} AND r.source = s.source ORDER BY occurred_at LIMIT 1) AS low,
          (SELECT occurred_at FROM sale_records r WHERE r.profile_id = ${profileId} AND r.source = s.source ORDER BY occurred_at DESC LIMIT 1) AS high
      ) span)
    SELECT a.source AS "firstSource", b.source AS "secondSource",
      (SELECT count(*)::int FROM sale_matches m WHERE m.profile_id = ${profileId} AND m.valid_to IS NULL AND m.is_likely AND m.state <> 'rejected'
        AND ((m.first_source = a.source AND m.second_source = b.source) OR (m.first_source = b.source AND m.second_source = a.source))) AS partners,
      (SELECT count(*)::int FROM sale_records r WHERE r.profile_id = ${profileId}
        AND r.source = CASE WHEN a.low > b.low OR (a.low = b.low AND a.source > b.source) THEN a.source ELSE b.source END
        AND r.occurred_at BETWEEN greatest(a.low, b.low) - interval '10 minutes' AND least(a.high, b.high) + interval '10 minutes') AS records
    FROM spans a JOIN spans b ON a.source < b.source`.execute(tx);
  for (const row of rows) {
    const was = before.get(`${row.firstSource}|${row.secondSource}`);
    const isSystematic = isSystematicOverlap(row.records, row.partners);
    if (was?.records === row.records && was.partners === row.partners) continue;
    await sql`
      INSERT INTO sale_overlaps AS o (profile_id, first_source, second_source, records, partners, is_systematic, found_at)
      VALUES (${profileId}, ${row.firstSource}, ${row.secondSource}, ${row.records}, ${row.partners}, ${isSystematic}, ${isSystematic ? now : null})
      ON CONFLICT (profile_id, first_source, second_source) DO UPDATE SET records = excluded.records, partners = excluded.partners,
        is_systematic = excluded.is_systematic, found_at = coalesce(o.found_at, excluded.found_at)`.execute(tx);
    if ((was?.isSystematic ?? false) === isSystematic) continue;
    await markPairMatched(tx, profileId, row.firstSource, row.secondSource);
  }
}

/** Stores whether two sources never report the same sale. Resolves to whether that is a change. */
export async function saveNever(
  tx: Tx,
  profileId: string,
  first: string,
  second: string,
  isNever: boolean,
): Promise<boolean> {
  await sql`
    INSERT INTO sale_overlaps (profile_id, first_source, second_source) VALUES (${profileId}, ${first}, ${second})
    ON CONFLICT DO NOTHING`.execute(tx);
  const { numAffectedRows } = await sql`
    UPDATE sale_overlaps SET is_never = ${isNever}
    WHERE profile_id = ${profileId} AND first_source = ${first} AND second_source = ${second} AND is_never <> ${isNever}`.execute(
    tx,
  );
  return numAffectedRows === 1n;
}

/**
 * The source with fewer records of the two. Rescanning it is enough, because each match of the pair includes one of its
 * records.
 */
export async function findSmaller(tx: Tx, profileId: string, first: string, second: string): Promise<string> {
  const { rows } = await sql<{ source: string }>`
    SELECT source FROM sale_records WHERE profile_id = ${profileId} AND source = ANY (${[first, second]}::text[])
    GROUP BY 1 ORDER BY count(*), 1`.execute(tx);
  return rows[0]?.source ?? first;
}

/** Marks all records matched between two sources, so that their sales are settled again. */
async function markPairMatched(tx: Tx, profileId: string, one: string, other: string): Promise<void> {
  await sql`
    INSERT INTO dirty_sales AS d (profile_id, outcome_id, is_matched)
    SELECT DISTINCT ${profileId}::uuid, first_id, true FROM sale_matches
    WHERE profile_id = ${profileId} AND valid_to IS NULL
      AND ((first_source = ${one} AND second_source = ${other}) OR (first_source = ${other} AND second_source = ${one}))
    ORDER BY 2
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision')`.execute(tx);
}
