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

/** Changes of the settings of a profile wait for each other. */
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

/** Writes what records can be found by: their references, source and time. Resolves to the new ones, which have no matches yet. */
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
  const known = ids.filter((id) => !fresh.has(id));
  await sql`
    WITH n AS MATERIALIZED (
      SELECT * FROM unnest(${references.map(({ id }) => id)}::uuid[], ${references.map(({ value }) => value)}::text[],
        ${references.map(({ level }) => level)}::text[]) AS n (id, value, level)),
    asked AS MATERIALIZED (SELECT DISTINCT id FROM unnest(${known}::uuid[]) AS a (id)),
    gone AS (
      DELETE FROM sale_references WHERE ctid = ANY (ARRAY(
        SELECT was.place FROM asked CROSS JOIN LATERAL (
          SELECT ctid AS place, value, outcome_id FROM sale_references WHERE profile_id = ${profileId} AND ${isAsked('outcome_id')} OFFSET 0) was
        WHERE NOT EXISTS (SELECT FROM n WHERE n.id = was.outcome_id AND n.value = was.value))))
    INSERT INTO sale_references AS r (profile_id, value, outcome_id, level)
    SELECT ${profileId}::uuid, value, id, level FROM n
    ON CONFLICT (profile_id, value, outcome_id) DO UPDATE SET level = excluded.level WHERE r.level <> excluded.level`.execute(
    tx,
  );
  return fresh;
}

/** Records that are no payments any more. */
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
 * Without sorting, a range of one value in its own order is read by the index on it. Of a profile that its statistics do not know yet, as
 * during a first sync, the planner expects a single row, and would take any index of the profile and read all of it for each record.
 */
export async function readByIndex<Result>(tx: Tx, read: () => Promise<Result>): Promise<Result> {
  await sql`SELECT set_config('enable_sort', 'off', true)`.execute(tx);
  const result = await read();
  // Other statements sort: without it they would read the whole profile in the order that they need.
  await sql`SELECT set_config('enable_sort', 'on', true)`.execute(tx);
  return result;
}

const isAsked = (column: 'outcome_id' | 'first_id' | 'second_id') =>
  sql.raw(`${column} >= asked.id AND ${column} <= asked.id ORDER BY ${column}`);

/**
 * Records that share a reference with others, that a member confirmed to be the same sale, or that are matched so far: who loses a partner
 * may have another. New records have no matches. A value that many records carry identifies none.
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
    WITH asked AS MATERIALIZED (SELECT DISTINCT id FROM unnest(${isAnyDecided ? ids : []}::uuid[]) AS a (id)),
    known AS MATERIALIZED (SELECT DISTINCT id FROM unnest(${ids.filter((id) => !fresh.has(id))}::uuid[]) AS k (id))
    SELECT unnest(r.ids) AS id FROM unnest(${[...values]}::text[]) AS mine (value)
    CROSS JOIN LATERAL (
      SELECT array_agg(outcome_id) AS ids FROM (
        SELECT outcome_id FROM sale_references WHERE profile_id = ${profileId} AND value >= mine.value AND value <= mine.value
        ORDER BY value LIMIT ${most + 1}) v) r
    WHERE cardinality(r.ids) BETWEEN 2 AND ${most}
    UNION
    SELECT d.second_id FROM asked CROSS JOIN LATERAL (
      SELECT second_id FROM sale_decisions WHERE profile_id = ${profileId} AND decision = 'confirmed' AND ${isAsked('first_id')} OFFSET 0) d
    UNION
    SELECT d.first_id FROM asked CROSS JOIN LATERAL (
      SELECT first_id FROM sale_decisions WHERE profile_id = ${profileId} AND decision = 'confirmed' AND ${isAsked('second_id')} OFFSET 0) d
    UNION
    SELECT m.second_id FROM known AS asked CROSS JOIN LATERAL (
      SELECT second_id FROM sale_matches WHERE profile_id = ${profileId} AND valid_to IS NULL AND ${isAsked('first_id')} OFFSET 0) m
    UNION
    SELECT m.first_id FROM known AS asked CROSS JOIN LATERAL (
      SELECT first_id FROM sale_matches WHERE profile_id = ${profileId} AND valid_to IS NULL AND ${isAsked('second_id')} OFFSET 0) m`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

/** Few profiles have any, and then nothing has to be looked up for each record. */
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

/** The matches of records as they are now. */
export async function findMatches(tx: Tx, profileId: string, ids: readonly string[]): Promise<StoredMatch[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<StoredMatch>`
    WITH asked AS MATERIALIZED (SELECT DISTINCT id FROM unnest(${[...ids]}::uuid[]) AS a (id))
    SELECT m.* FROM asked CROSS JOIN LATERAL (
      SELECT ${matchColumns} FROM sale_matches m WHERE profile_id = ${profileId} AND valid_to IS NULL AND ${isAsked('first_id')} OFFSET 0) m
    UNION
    SELECT m.* FROM asked CROSS JOIN LATERAL (
      SELECT ${matchColumns} FROM sale_matches m WHERE profile_id = ${profileId} AND valid_to IS NULL AND ${isAsked('second_id')} OFFSET 0) m`.execute(
    tx,
  );
  return rows;
}

export type NewMatch = Omit<StoredMatch, 'id'>;

/** Ends what is true no longer and adds what is true from now on. What was true before stays readable. */
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

/** What a message of an erased customer said is no longer shown as evidence. */
export async function forgetReferences(tx: Tx, profileId: string, matches: readonly string[]): Promise<void> {
  if (matches.length === 0) return;
  await sql`
    UPDATE sale_matches SET reference = NULL WHERE profile_id = ${profileId} AND id = ANY (${[...matches]}::uuid[]) AND reference IS NOT NULL`.execute(
    tx,
  );
}

/** A mark of a payment, as it was before the payment was read: a newer mark stays. */
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
    SELECT d.id, d.revision FROM unnest(${[...ids]}::uuid[]) AS asked (id) CROSS JOIN LATERAL (
      SELECT outcome_id AS id, revision, is_matched FROM dirty_sales
      WHERE profile_id = ${profileId} AND ${isAsked('outcome_id')} OFFSET 0) d
    WHERE d.is_matched = ${isMatched}`.execute(tx);
  return rows;
}

/** The matches of these are found; which records count follows. */
export async function endMatching(tx: Tx, profileId: string, marks: readonly SaleMark[]): Promise<void> {
  await sql`
    UPDATE dirty_sales SET is_matched = true WHERE ctid = ANY (${placesOf(profileId, marks)})`.execute(tx);
}

/** Which of these count is written. */
export async function endSettling(tx: Tx, profileId: string, marks: readonly SaleMark[]): Promise<void> {
  await sql`
    DELETE FROM dirty_sales WHERE ctid = ANY (${placesOf(profileId, marks)}) AND is_matched`.execute(tx);
}

/** The rows of marks that are as they were read. One that changes meanwhile moves to another place and stays. */
const placesOf = (profileId: string, marks: readonly SaleMark[]) => sql`ARRAY(
  SELECT d.place FROM unnest(${marks.map(({ id }) => id)}::uuid[], ${marks.map(({ revision }) => revision)}::bigint[]) AS asked (id, revision)
  CROSS JOIN LATERAL (
    SELECT ctid AS place, revision FROM dirty_sales WHERE profile_id = ${profileId} AND ${isAsked('outcome_id')} OFFSET 0) d
  WHERE d.revision = asked.revision)`;

/** Marks records whose sale has to be formed again; their matches are as they should be. */
export async function markMatched(tx: Tx, profileId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    INSERT INTO dirty_sales AS d (profile_id, outcome_id, is_matched)
    SELECT ${profileId}::uuid, id, true FROM unnest(${[...new Set(ids)].sort()}::uuid[]) AS id
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision')`.execute(tx);
}

/** Marks records whose matches have to be found again. */
export async function markUnmatched(tx: Tx, profileId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    INSERT INTO dirty_sales AS d (profile_id, outcome_id)
    SELECT ${profileId}::uuid, id FROM unnest(${[...new Set(ids)].sort()}::uuid[]) AS id
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'), is_matched = false`.execute(
    tx,
  );
}

export const asMatch = (
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
