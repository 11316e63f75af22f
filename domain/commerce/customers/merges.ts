import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';

/** A merge: the two customers, its source, and how many rows it moved. */
export interface MergeRow {
  readonly id: string;
  readonly loserId: string;
  readonly survivorId: string;
  /** The two customers whose identifiers the message contained. */
  readonly one: string;
  readonly other: string;
  readonly mergedAt: Date;
  readonly source: string;
  readonly saidKinds: readonly string[];
  readonly movedIdentifiers: number;
  readonly movedBrowsers: number;
  readonly movedOutcomes: number;
  readonly undoneAt: Date | null;
  readonly reason: string | null;
}

const columns = sql.raw(`id, loser_id AS "loserId", survivor_id AS "survivorId", coalesce(named_one, loser_id) AS one,
  coalesce(named_other, survivor_id) AS other, merged_at AS "mergedAt", source, said_kinds AS "saidKinds", moved_identifiers AS "movedIdentifiers",
  moved_browsers AS "movedBrowsers", moved_outcomes AS "movedOutcomes", undone_at AS "undoneAt", reason`);
const size = sql.raw('(moved_identifiers + moved_browsers + moved_outcomes)');

/** Cursor of a page of merges: size and id of the last one. */
export interface MergeCursor {
  readonly size: number;
  readonly id: string;
}

/** Lists merges by moved rows, largest first, because wrong merges tend to be large. */
export async function listLargestMerges(
  tx: Tx,
  profileId: string,
  { from, until, after, limit }: { from: Date; until: Date; after: MergeCursor | undefined; limit: number },
): Promise<MergeRow[]> {
  const beyond = after ? sql`AND (${size}, id) < (${after.size}::int, ${after.id}::uuid)` : sql``;
  const { rows } = await sql<MergeRow>`
    SELECT ${columns} FROM merges
    WHERE profile_id = ${profileId} AND merged_at >= ${from} AND merged_at < ${until} ${beyond}
    ORDER BY ${size} DESC, id DESC LIMIT ${limit}`.execute(tx);
  return rows;
}

export async function findMerges(tx: Tx, profileId: string, ids: readonly string[]): Promise<MergeRow[]> {
  const { rows } = await sql<MergeRow>`
    SELECT ${columns} FROM merges WHERE profile_id = ${profileId} AND id = ANY (${[...ids]}::uuid[])`.execute(tx);
  return rows;
}

/** Merges among these customers, including undone ones. */
export async function listMergesOf(
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
  limit: number,
): Promise<MergeRow[]> {
  const { rows } = await sql<MergeRow>`
    SELECT ${columns} FROM merges
    WHERE profile_id = ${profileId} AND (loser_id = ANY (${[...customerIds]}::uuid[]) OR survivor_id = ANY (${[...customerIds]}::uuid[]))
    ORDER BY merged_at, id LIMIT ${limit}`.execute(tx);
  return rows;
}

export interface StatedIdentifier {
  readonly kind: string;
  readonly value: string;
  readonly source: string;
  readonly saidAt: Date;
  /** The customer that the identifier was stated for. */
  readonly saidOf: string;
}

/** The identifiers of a customer, each with the customer it was stated for. */
export async function listStatedIdentifiers(
  tx: Tx,
  profileId: string,
  customerId: string,
  limit: number,
): Promise<StatedIdentifier[]> {
  const { rows } = await sql<StatedIdentifier>`
    SELECT kind, value, source, said_at AS "saidAt", coalesce(moved_from, customer_id) AS "saidOf" FROM identifiers
    WHERE profile_id = ${profileId} AND customer_id = ${customerId} ORDER BY said_at, kind, value LIMIT ${limit}`.execute(
    tx,
  );
  return rows;
}

/** Customers that must not be merged with this one, with the undone merge that caused it. */
export async function listUnmergeable(tx: Tx, profileId: string, customerId: string, limit: number) {
  const { rows } = await sql<{ customerId: string; mergeId: string; keptAt: Date }>`
    SELECT CASE WHEN one_is = ${customerId} THEN other_is ELSE one_is END AS "customerId", merge_id AS "mergeId", kept_at AS "keptAt"
    FROM kept_apart WHERE profile_id = ${profileId} AND (one_is = ${customerId} OR other_is = ${customerId})
    ORDER BY kept_at, merge_id LIMIT ${limit}`.execute(tx);
  return rows;
}
