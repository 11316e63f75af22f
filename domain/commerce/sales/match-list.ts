import { listSaleSources } from '@tributary/domain/commerce/outcomes';
import type { Tx } from '@tributary/postgres';
import { type MatchDecision, type MatchEvidence, type MatchState, matchStates } from '@tributary/vocabulary';
import { type RawBuilder, sql } from 'kysely';
import type { Pair } from './decisions.ts';
import { matchColumns, type StoredMatch } from './store.ts';

/** A match and the member's decision on it, if any. */
export interface ListedMatch extends StoredMatch {
  readonly isPending: boolean;
  readonly decision: {
    readonly decision: MatchDecision;
    readonly actorKind: string;
    readonly actorId: string;
    readonly at: Date;
    readonly batchId: string | null;
  } | null;
}

export interface MatchFilter {
  readonly states?: readonly MatchState[] | undefined;
  readonly source?: string | undefined;
  readonly otherSource?: string | undefined;
  readonly evidence?: MatchEvidence | undefined;
  readonly isCertain?: boolean | undefined;
  /** Only matches that no member decided. */
  readonly isOpen?: boolean | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

const withDecision = sql.raw(`
  SELECT m.*,
    EXISTS (SELECT FROM dirty_sales w WHERE w.profile_id = m.profile_id AND w.outcome_id IN (m.first, m.second)) AS "isPending",
    CASE WHEN d.decision IS NOT NULL THEN jsonb_build_object('decision', d.decision, 'actorKind', d.actor_kind, 'actorId', d.actor_id,
      'at', d.decided_at, 'batchId', d.batch_id) END AS decision
  FROM found m LEFT JOIN sale_decisions d ON d.profile_id = m.profile_id AND d.first_id = m.first AND d.second_id = m.second`);

type Row = Omit<ListedMatch, 'decision'> & {
  readonly decision: (Omit<NonNullable<ListedMatch['decision']>, 'at'> & { readonly at: string }) | null;
};

const toListedMatch = ({ decision, ...row }: Row): ListedMatch => ({
  ...row,
  // A decision shows at once, before the queue has applied it.
  state: decision?.decision ?? row.state,
  decision: decision && { ...decision, at: new Date(decision.at) },
});

/** Lists matches, the latest change first. */
export async function listMatches(tx: Tx, profileId: string, filter: MatchFilter): Promise<ListedMatch[]> {
  const found = await selectMatches(tx, profileId, filter, matchColumns);
  const { rows } = await sql<Row>`WITH found AS MATERIALIZED (${found}) ${withDecision} ORDER BY m.id DESC`.execute(tx);
  return rows.map(toListedMatch);
}

/** Lists only the pairs of the matches, for operations on thousands of them. */
export async function listPairs(tx: Tx, profileId: string, filter: MatchFilter): Promise<Pair[]> {
  const found = await selectMatches(tx, profileId, filter, sql`m.id, m.first_id AS first, m.second_id AS second`);
  const { rows } = await sql<Pair>`SELECT first, second FROM (${found}) m`.execute(tx);
  return rows;
}

/**
 * Each pair of sources and each state is one range of an index. A page reads at most a page of each range, however many
 * matches there are.
 */
async function selectMatches(tx: Tx, profileId: string, filter: MatchFilter, columns: RawBuilder<unknown>) {
  const { states = matchStates, source, otherSource, evidence, isCertain, isOpen, before, limit } = filter;
  const sources = (await listSaleSources(tx, profileId)).map((one) => one.source);
  const wanted = [source, otherSource].filter((one) => one !== undefined);
  const pairs = sources
    .flatMap((first) => sources.map((second) => ({ first, second })))
    .filter(({ first, second }) => first !== second && wanted.every((one) => one === first || one === second));
  return sql`
    SELECT n.* FROM unnest(${pairs.map(({ first }) => first)}::text[], ${pairs.map(({ second }) => second)}::text[]) AS p (first, second)
    CROSS JOIN unnest(${[...states]}::text[]) AS s (state)
    CROSS JOIN LATERAL (
      SELECT m.profile_id, ${columns} FROM sale_matches m
      WHERE m.profile_id = ${profileId} AND m.valid_to IS NULL AND m.first_source = p.first AND m.second_source = p.second
        AND m.state = s.state
        ${before === undefined ? sql`` : sql`AND m.id < ${before}`}
        ${evidence === undefined ? sql`` : sql`AND m.evidence = ${evidence}`}
        ${isCertain === undefined ? sql`` : sql`AND m.is_certain = ${isCertain}`}
        ${isOpen ? sql`AND NOT EXISTS (SELECT FROM sale_decisions d WHERE d.profile_id = m.profile_id AND d.first_id = m.first_id AND d.second_id = m.second_id)` : sql``}
      ORDER BY m.id DESC LIMIT ${limit}) n
    ORDER BY n.id DESC LIMIT ${limit}`;
}

/** Finds the current version of a match by any of its version ids. */
export async function findMatch(tx: Tx, profileId: string, id: string): Promise<ListedMatch | undefined> {
  const { rows } = await sql<Row>`
    WITH found AS MATERIALIZED (
      SELECT m.profile_id, ${matchColumns} FROM sale_matches v
      JOIN sale_matches m ON m.profile_id = v.profile_id AND m.first_id = v.first_id AND m.second_id = v.second_id AND m.valid_to IS NULL
      WHERE v.profile_id = ${profileId} AND v.id = ${id})
    ${withDecision}`.execute(tx);
  return rows.map(toListedMatch)[0];
}
