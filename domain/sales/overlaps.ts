import { listSaleSources } from '@tributary/domain/outcomes';
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

/** How two sources are counted: by what was measured, by what members stated of the two, and of each. */
export async function overlapReader(tx: Tx, profileId: string) {
  const sources = await listSaleSources(tx, profileId);
  const overlaps = await listOverlaps(tx, profileId);
  const both = new Set(sources.filter(({ decision }) => decision === 'count_both').map(({ source }) => source));
  const stated = new Map(overlaps.map((one) => [`${one.firstSource}|${one.secondSource}`, one]));
  const of = (one: string, other: string): 'systematic' | 'unknown' | 'never' => {
    const overlap = stated.get(one < other ? `${one}|${other}` : `${other}|${one}`);
    if (overlap?.isNever || both.has(one) || both.has(other)) return 'never';
    return overlap?.isSystematic ? 'systematic' : 'unknown';
  };
  return { sources, of };
}

/**
 * Measures how sources overlap: of the newer one's payments in the period of both, how many have a partner. Where that changes what
 * counts, the matches of the two are applied again. Resolves to the pairs that turned out to overlap.
 */
export async function measureOverlaps(tx: Tx, profileId: string, now: Date): Promise<Overlap[]> {
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
  const changed: Overlap[] = [];
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
    changed.push({ ...row, isSystematic, isNever: was?.isNever ?? false, foundAt: was?.foundAt ?? now });
  }
  return changed.filter(({ isSystematic }) => isSystematic);
}

/** States that two sources never report the same sale, or takes it back. Resolves to whether that is a change. */
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

/** The one of two sources with fewer records: each match of the two has a record of it. */
export async function findSmaller(tx: Tx, profileId: string, first: string, second: string): Promise<string> {
  const { rows } = await sql<{ source: string }>`
    SELECT source FROM sale_records WHERE profile_id = ${profileId} AND source = ANY (${[first, second]}::text[])
    GROUP BY 1 ORDER BY count(*), 1`.execute(tx);
  return rows[0]?.source ?? first;
}

/** Sales with matches between two sources are formed again. */
async function markPairMatched(tx: Tx, profileId: string, one: string, other: string): Promise<void> {
  await sql`
    INSERT INTO dirty_sales AS d (profile_id, outcome_id, is_matched)
    SELECT DISTINCT ${profileId}::uuid, first_id, true FROM sale_matches
    WHERE profile_id = ${profileId} AND valid_to IS NULL
      AND ((first_source = ${one} AND second_source = ${other}) OR (first_source = ${other} AND second_source = ${one}))
    ORDER BY 2
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision')`.execute(tx);
}
