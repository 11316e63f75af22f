import type { Tx } from '@tributary/postgres';
import { pairKey, type RecordMatch, type SaleRecord } from '@tributary/rules';
import {
  limits,
  type MatchDecision,
  type MatchEvidence,
  type MatchState,
  type SaleSourceKind,
  saleSourceKinds,
} from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

export interface SaleSettings {
  readonly preference: readonly SaleSourceKind[];
  readonly windowMinutes: number;
}

export async function readSaleSettings(tx: Tx, profileId: string): Promise<SaleSettings> {
  const { rows } = await sql<SaleSettings>`
    SELECT preference, window_minutes AS "windowMinutes" FROM sale_settings WHERE profile_id = ${profileId}`.execute(
    tx,
  );
  return rows[0] ?? { preference: saleSourceKinds, windowMinutes: limits.sales.windowMinutes.default };
}

/** Locks the settings of a profile, so that concurrent changes run one after the other. */
export async function lockSaleSettings(tx: Tx, profileId: string): Promise<void> {
  await sql`
    INSERT INTO sale_settings (profile_id, preference, window_minutes)
    VALUES (${profileId}, ${[...saleSourceKinds]}::text[], ${limits.sales.windowMinutes.default})
    ON CONFLICT (profile_id) DO UPDATE SET window_minutes = sale_settings.window_minutes`.execute(tx);
}

export async function saveSaleSettings(
  tx: Tx,
  profileId: string,
  { preference, windowMinutes }: SaleSettings,
): Promise<void> {
  await sql`
    UPDATE sale_settings SET preference = ${[...preference]}::text[], window_minutes = ${windowMinutes}
    WHERE profile_id = ${profileId}`.execute(tx);
}

/**
 * Stores the references, source and time by which records are found. Resolves to the new records, which have no matches
 * yet.
 */
export async function saveRecords(
  tx: Tx,
  profileId: string,
  records: readonly SaleRecord[],
): Promise<ReadonlySet<string>> {
  if (records.length === 0) return new Set();
  const ids = records.map(({ id }) => id);
  const references = records.flatMap(({ id, references }) => references.map((one) => ({ id, ...one })));
  const { rows } = await sql<{ id: string; isNew: boolean }>`
    INSERT INTO sale_records AS r (profile_id, outcome_id, source, occurred_at)
    SELECT ${profileId}::uuid, * FROM unnest(
      ${ids}::uuid[], ${records.map(({ source }) => source)}::text[], ${records.map(({ at }) => new Date(at))}::timestamptz[])
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET occurred_at = excluded.occurred_at WHERE r.occurred_at <> excluded.occurred_at
    RETURNING outcome_id AS id, xmax = 0 AS "isNew"`.execute(tx);
  const fresh = new Set(rows.flatMap(({ id, isNew }) => (isNew ? [id] : [])));
  const existing = ids.filter((id) => !fresh.has(id));
  await sql`
    WITH n AS MATERIALIZED (
      SELECT * FROM unnest(${references.map(({ id }) => id)}::uuid[], ${references.map(({ value }) => value)}::text[],
        ${references.map(({ level }) => level)}::text[]) AS n (id, value, level)),
    wanted AS MATERIALIZED (SELECT DISTINCT id FROM unnest(${existing}::uuid[]) AS a (id)),
    removed AS (
      DELETE FROM sale_references WHERE ctid = ANY (ARRAY(
        SELECT stored.place FROM wanted CROSS JOIN LATERAL (
          SELECT ctid AS place, value, outcome_id FROM sale_references WHERE profile_id = ${profileId} AND ${equalsWanted('outcome_id')} OFFSET 0) stored
        WHERE NOT EXISTS (SELECT FROM n WHERE n.id = stored.outcome_id AND n.value = stored.value))))
    INSERT INTO sale_references AS r (profile_id, value, outcome_id, level)
    SELECT ${profileId}::uuid, value, id, level FROM n
    ON CONFLICT (profile_id, value, outcome_id) DO UPDATE SET level = excluded.level WHERE r.level <> excluded.level`.execute(
    tx,
  );
  return fresh;
}

/** Removes records that are no longer payments. */
export async function dropRecords(tx: Tx, profileId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`DELETE FROM sale_records WHERE profile_id = ${profileId} AND outcome_id = ANY (${[...ids]}::uuid[])`.execute(
    tx,
  );
  await sql`DELETE FROM sale_references WHERE profile_id = ${profileId} AND outcome_id = ANY (${[...ids]}::uuid[])`.execute(
    tx,
  );
}

/**
 * Disables sorting, so that a single-value range ordered by itself is read by its index. Statistics do not cover a new
 * profile yet, for example during a first sync. The planner then expects one row and may read the whole profile for
 * each record.
 */
export async function readByIndex<Result>(tx: Tx, read: () => Promise<Result>): Promise<Result> {
  await sql`SELECT set_config('enable_sort', 'off', true)`.execute(tx);
  const result = await read();
  // Other statements need sorting: without it they would read the whole profile in the order that they need.
  await sql`SELECT set_config('enable_sort', 'on', true)`.execute(tx);
  return result;
}

const equalsWanted = (column: 'outcome_id' | 'first_id' | 'second_id') =>
  sql.raw(`${column} >= wanted.id AND ${column} <= wanted.id ORDER BY ${column}`);

/**
 * Records that share a reference with the given ones, were confirmed as the same sale, or are matched to them now.
 * Current matches are included, because a record that loses its partner may match another. New records have none. A
 * value that many records carry identifies none of them.
 */
export async function findRelated(
  tx: Tx,
  profileId: string,
  records: readonly SaleRecord[],
  fresh: ReadonlySet<string>,
): Promise<string[]> {
  const { most } = limits.sales.perReference;
  const ids = records.map(({ id }) => id);
  const values = new Set(records.flatMap(({ references }) => references.map(({ value }) => value)));
  const isAnyDecided = await hasDecisions(tx, profileId);
  const { rows } = await sql<{ id: string }>`
    WITH wanted AS MATERIALIZED (SELECT DISTINCT id FROM unnest(${isAnyDecided ? ids : []}::uuid[]) AS a (id)),
    existing AS MATERIALIZED (SELECT DISTINCT id FROM unnest(${ids.filter((id) => !fresh.has(id))}::uuid[]) AS k (id))
    SELECT unnest(r.ids) AS id FROM unnest(${[...values]}::text[]) AS mine (value)
    CROSS JOIN LATERAL (
      SELECT array_agg(outcome_id) AS ids FROM (
        SELECT outcome_id FROM sale_references WHERE profile_id = ${profileId} AND value >= mine.value AND value <= mine.value
        ORDER BY value LIMIT ${most + 1}) v) r
    WHERE cardinality(r.ids) BETWEEN 2 AND ${most}
    UNION
    SELECT d.second_id FROM wanted CROSS JOIN LATERAL (
      SELECT second_id FROM sale_decisions WHERE profile_id = ${profileId} AND decision = 'confirmed' AND ${equalsWanted('first_id')} OFFSET 0) d
    UNION
    SELECT d.first_id FROM wanted CROSS JOIN LATERAL (
      SELECT first_id FROM sale_decisions WHERE profile_id = ${profileId} AND decision = 'confirmed' AND ${equalsWanted('second_id')} OFFSET 0) d
    UNION
    SELECT m.second_id FROM existing AS wanted CROSS JOIN LATERAL (
      SELECT second_id FROM sale_matches WHERE profile_id = ${profileId} AND valid_to IS NULL AND ${equalsWanted('first_id')} OFFSET 0) m
    UNION
    SELECT m.first_id FROM existing AS wanted CROSS JOIN LATERAL (
      SELECT first_id FROM sale_matches WHERE profile_id = ${profileId} AND valid_to IS NULL AND ${equalsWanted('second_id')} OFFSET 0) m`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

/** Most profiles have no decisions; this check saves a lookup for each record. */
export async function hasDecisions(tx: Tx, profileId: string): Promise<boolean> {
  const { rows } = await sql`SELECT FROM sale_decisions WHERE profile_id = ${profileId} LIMIT 1`.execute(tx);
  return rows.length > 0;
}

export async function findDecisions(
  tx: Tx,
  profileId: string,
  ids: readonly string[],
): Promise<Map<string, MatchDecision>> {
  if (!(await hasDecisions(tx, profileId))) return new Map();
  const { rows } = await sql<{ first: string; second: string; decision: MatchDecision }>`
    SELECT first_id AS first, second_id AS second, decision FROM sale_decisions
    WHERE profile_id = ${profileId} AND (first_id = ANY (${[...ids]}::uuid[]) OR second_id = ANY (${[...ids]}::uuid[]))`.execute(
    tx,
  );
  return new Map(rows.map(({ first, second, decision }) => [pairKey(first, second), decision]));
}

export interface StoredMatch {
  readonly id: string;
  readonly first: string;
  readonly second: string;
  readonly firstSource: string;
  readonly secondSource: string;
  readonly evidence: MatchEvidence;
  readonly reference: string | null;
  readonly apartMs: number;
  readonly isCertain: boolean;
  readonly isLikely: boolean;
  readonly state: MatchState;
}

export const matchColumns = sql.raw(`
  m.id, m.first_id AS first, m.second_id AS second, m.first_source AS "firstSource", m.second_source AS "secondSource", m.evidence, m.reference,
  m.apart_ms::float8 AS "apartMs", m.is_certain AS "isCertain", m.is_likely AS "isLikely", m.state`);

/** The current matches of records. */
export async function findMatches(tx: Tx, profileId: string, ids: readonly string[]): Promise<StoredMatch[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<StoredMatch>`
    WITH wanted AS MATERIALIZED (SELECT DISTINCT id FROM unnest(${[...ids]}::uuid[]) AS a (id))
    SELECT m.* FROM wanted CROSS JOIN LATERAL (
      SELECT ${matchColumns} FROM sale_matches m WHERE profile_id = ${profileId} AND valid_to IS NULL AND ${equalsWanted('first_id')} OFFSET 0) m
    UNION
    SELECT m.* FROM wanted CROSS JOIN LATERAL (
      SELECT ${matchColumns} FROM sale_matches m WHERE profile_id = ${profileId} AND valid_to IS NULL AND ${equalsWanted('second_id')} OFFSET 0) m`.execute(
    tx,
  );
  return rows;
}

export type NewMatch = Omit<StoredMatch, 'id'>;

/** Ends matches and adds new ones, keeping the history for `as_of` reads. */
export async function replaceMatches(
  tx: Tx,
  profileId: string,
  ended: readonly string[],
  added: readonly NewMatch[],
  now: Date,
): Promise<void> {
  if (ended.length > 0)
    await sql`
      UPDATE sale_matches SET valid_to = greatest(${now}::timestamptz, valid_from) WHERE profile_id = ${profileId} AND id = ANY (${[...ended]}::uuid[])`.execute(
      tx,
    );
  if (added.length === 0) return;
  const rows = added.map((one) => ({
    profile_id: profileId,
    id: uuid(),
    first_id: one.first,
    second_id: one.second,
    first_source: one.firstSource,
    second_source: one.secondSource,
    evidence: one.evidence,
    reference: one.reference,
    apart_ms: Math.round(one.apartMs),
    is_certain: one.isCertain,
    is_likely: one.isLikely,
    state: one.state,
    valid_from: now,
  }));
  await sql`INSERT INTO sale_matches SELECT * FROM jsonb_populate_recordset(NULL::sale_matches, ${JSON.stringify(rows)}::jsonb)`.execute(
    tx,
  );
}

/** Removes the references of erased customers from matches. */
export async function eraseReferences(tx: Tx, profileId: string, matches: readonly string[]): Promise<void> {
  if (matches.length === 0) return;
  await sql`
    UPDATE sale_matches SET reference = NULL WHERE profile_id = ${profileId} AND id = ANY (${[...matches]}::uuid[]) AND reference IS NOT NULL`.execute(
    tx,
  );
}

/** A payment's queue mark, with the revision read before the payment. A newer mark has another revision and stays. */
export interface SaleMark {
  readonly id: string;
  readonly revision: string;
}

export async function findMarks(
  tx: Tx,
  profileId: string,
  ids: readonly string[],
  isMatched: boolean,
): Promise<SaleMark[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<SaleMark>`
    SELECT d.id, d.revision FROM unnest(${[...ids]}::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
      SELECT outcome_id AS id, revision, is_matched FROM dirty_sales
      WHERE profile_id = ${profileId} AND ${equalsWanted('outcome_id')} OFFSET 0) d
    WHERE d.is_matched = ${isMatched}`.execute(tx);
  return rows;
}

/** Marks records as matched; settling follows. */
export async function endMatching(tx: Tx, profileId: string, marks: readonly SaleMark[]): Promise<void> {
  await sql`
    UPDATE dirty_sales SET is_matched = true WHERE ctid = ANY (${unchangedMarks(profileId, marks)})`.execute(tx);
}

/** Removes the marks of settled records. */
export async function endSettling(tx: Tx, profileId: string, marks: readonly SaleMark[]): Promise<void> {
  await sql`
    DELETE FROM dirty_sales WHERE ctid = ANY (${unchangedMarks(profileId, marks)}) AND is_matched`.execute(tx);
}

/** The ctids of marks with an unchanged revision. A mark that changes meanwhile gets a new ctid and stays. */
const unchangedMarks = (profileId: string, marks: readonly SaleMark[]) => sql`ARRAY(
  SELECT d.place FROM unnest(${marks.map(({ id }) => id)}::uuid[], ${marks.map(({ revision }) => revision)}::bigint[]) AS wanted (id, revision)
  CROSS JOIN LATERAL (
    SELECT ctid AS place, revision FROM dirty_sales WHERE profile_id = ${profileId} AND ${equalsWanted('outcome_id')} OFFSET 0) d
  WHERE d.revision = wanted.revision)`;

/** Marks records whose sale must be settled again; their matches are up to date. */
export async function markMatched(tx: Tx, profileId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    INSERT INTO dirty_sales AS d (profile_id, outcome_id, is_matched)
    SELECT ${profileId}::uuid, id, true FROM unnest(${[...new Set(ids)].sort()}::uuid[]) AS id
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision')`.execute(tx);
}

/** Marks records whose matches must be computed again. */
export async function markUnmatched(tx: Tx, profileId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    INSERT INTO dirty_sales AS d (profile_id, outcome_id)
    SELECT ${profileId}::uuid, id FROM unnest(${[...new Set(ids)].sort()}::uuid[]) AS id
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'), is_matched = false`.execute(
    tx,
  );
}

export const toRecordMatch = (
  { first, second, evidence, reference, isCertain, isLikely, apartMs }: StoredMatch,
  decision: MatchDecision | null,
): RecordMatch => ({
  first,
  second,
  evidence,
  reference,
  isCertain,
  isLikely,
  apartMs,
  decision,
});
