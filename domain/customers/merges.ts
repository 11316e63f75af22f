import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';

/** A merge as it is told of: what joined whom, and how much it moved. */
export interface MergeRow {
  readonly id: string;
  readonly loserId: string;
  readonly survivorId: string;
  /** The two of whom the message named identifiers. */
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

/** Where a page of merges ended: the size of the last one, and its id. */
export interface MergePlace {
  readonly size: number;
  readonly id: string;
}

/** The largest first: a wrong merge that joined many is what somebody looks for. */
export async function listLargestMerges(
  tx: Tx,
  profileId: string,
  { from, until, after, limit }: { from: Date; until: Date; after: MergePlace | undefined; limit: number },
): Promise<MergeRow[]> {
  const place = after ? sql`AND (${size}, id) < (${after.size}::int, ${after.id}::uuid)` : sql``;
  const { rows } = await sql<MergeRow>`
    SELECT ${columns} FROM merges
    WHERE profile_id = ${profileId} AND merged_at >= ${from} AND merged_at < ${until} ${place}
    ORDER BY ${size} DESC, id DESC LIMIT ${limit}`.execute(tx);
  return rows;
}

export async function findMerges(tx: Tx, profileId: string, ids: readonly string[]): Promise<MergeRow[]> {
  const { rows } = await sql<MergeRow>`
    SELECT ${columns} FROM merges WHERE profile_id = ${profileId} AND id = ANY (${[...ids]}::uuid[])`.execute(tx);
  return rows;
}

/** Merges among customers who are, or were, one person: those of before that were undone among them. */
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

export interface HeldBy {
  readonly kind: string;
  readonly value: string;
  readonly source: string;
  readonly saidAt: Date;
  /** The customer that it was said of. */
  readonly saidOf: string;
}

/** What a person is known by, with whom each was said of. */
export async function listSaidIdentifiers(
  tx: Tx,
  profileId: string,
  customerId: string,
  limit: number,
): Promise<HeldBy[]> {
  const { rows } = await sql<HeldBy>`
    SELECT kind, value, source, said_at AS "saidAt", coalesce(moved_from, customer_id) AS "saidOf" FROM identifiers
    WHERE profile_id = ${profileId} AND customer_id = ${customerId} ORDER BY said_at, kind, value LIMIT ${limit}`.execute(
    tx,
  );
  return rows;
}

/** From whom a person is kept apart, and since which undone merge. */
export async function listKeptApart(tx: Tx, profileId: string, customerId: string, limit: number) {
  const { rows } = await sql<{ customerId: string; mergeId: string; keptAt: Date }>`
    SELECT CASE WHEN one_is = ${customerId} THEN other_is ELSE one_is END AS "customerId", merge_id AS "mergeId", kept_at AS "keptAt"
    FROM kept_apart WHERE profile_id = ${profileId} AND (one_is = ${customerId} OR other_is = ${customerId})
    ORDER BY kept_at, merge_id LIMIT ${limit}`.execute(tx);
  return rows;
}
