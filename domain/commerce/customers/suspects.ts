import type { Postgres, Tx } from '@tributary/postgres';
import { identifierKindNames, strongIdentifierKinds } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** A customer that may combine two people: a later key was added by a message that may have matched only by a phone. */
export interface Suspect {
  readonly customerId: string;
  /** In the order in which they were added. */
  readonly externalIds: readonly string[];
  /** When the second key was added. */
  readonly joinedAt: Date;
  /** Kinds of identifiers that the message can have matched by. If all are weak, only they can have joined the keys. */
  readonly foundBy: readonly string[];
}

/** Customers scanned per statement. */
const batchSize = 10_000;
const weakKinds = identifierKindNames.filter((kind) => !strongIdentifierKinds.some((strong) => strong === kind));

/**
 * Customers with several external ids, of which a later one was added while they held a phone. Before strong identifiers took precedence, a
 * matching phone was enough to add it. Ids moved by a merge are excluded, because merges required strong identifiers. Scans in batches until
 * `limit` suspects are found; `next` is the cursor to continue, undefined at the end.
 */
export async function listSuspects(
  app: Postgres,
  profileId: string,
  { after, limit, progress }: { after: string; limit: number; progress: (scanned: number) => void },
): Promise<{ suspects: Suspect[]; next: string | undefined }> {
  const suspects: Suspect[] = [];
  let cursor = after;
  for (let scanned = 0; ; scanned += batchSize) {
    progress(scanned);
    const [last, found] = await app.forProfile(profileId).transaction(async (tx) => {
      const { rows } = await sql<{ last: string | null }>`
        SELECT max(id::text) AS last FROM (
          SELECT id FROM customers WHERE profile_id = ${profileId} AND id > ${cursor} ORDER BY id LIMIT ${batchSize}) c`.execute(
        tx,
      );
      const end = rows[0]?.last ?? null;
      return [end, end === null ? [] : await findSuspects(tx, profileId, cursor, end)] as const;
    });
    suspects.push(...found);
    if (suspects.length >= limit)
      return { suspects: suspects.slice(0, limit), next: (suspects[limit - 1] as Suspect).customerId };
    if (last === null) return { suspects, next: undefined };
    cursor = last;
  }
}

async function findSuspects(tx: Tx, profileId: string, after: string, until: string): Promise<readonly Suspect[]> {
  const { rows } = await sql<Suspect>`
    WITH held AS MATERIALIZED (
      SELECT * FROM identifiers WHERE profile_id = ${profileId} AND customer_id > ${after} AND customer_id <= ${until}
    ), several AS (
      SELECT customer_id, array_agg(value ORDER BY said_at, value) AS "externalIds",
        (array_agg(request_id ORDER BY said_at, value))[1] AS first_request
      FROM held WHERE kind = 'external_customer_id' GROUP BY customer_id HAVING count(*) > 1
    ), joined AS (
      SELECT s.customer_id, s."externalIds", later.said_at, nullif(later.request_id, s.first_request) AS request_id
      FROM several s CROSS JOIN LATERAL (
        SELECT said_at, request_id FROM held h
        WHERE h.customer_id = s.customer_id AND h.kind = 'external_customer_id' AND h.moved_from IS NULL AND h.value <> s."externalIds"[1]
        ORDER BY said_at LIMIT 1) later
    )
    SELECT j.customer_id AS "customerId", j."externalIds", j.said_at AS "joinedAt", array_agg(DISTINCT h.kind ORDER BY h.kind) AS "foundBy"
    FROM joined j JOIN held h ON h.customer_id = j.customer_id AND h.kind <> 'external_customer_id'
      -- Identifiers first stated by the same message cannot have matched. A request with both keys consisted of two messages.
      AND (h.said_at < j.said_at OR (h.said_at = j.said_at AND h.request_id IS DISTINCT FROM j.request_id))
    GROUP BY 1, 2, 3 HAVING bool_or(h.kind = ANY (${weakKinds}::text[])) ORDER BY 1`.execute(tx);
  return rows;
}
