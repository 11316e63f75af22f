import type { Postgres, Tx } from '@tributary/postgres';
import { identifierKindNames, strongIdentifierKinds } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** Somebody who may be two people: a later key became theirs when all that the message named of them may have been a phone. */
export interface Suspect {
  readonly customerId: string;
  /** In the order in which they became known. */
  readonly externalIds: readonly string[];
  /** When the first of the later ones became theirs. */
  readonly joinedAt: Date;
  /** Kinds of what they were known by then, and can have been found by. Weak ones alone: nothing else can have joined them. */
  readonly foundBy: readonly string[];
}

/** Customers that are looked at in one statement. */
const stretch = 10_000;
const weakKinds = identifierKindNames.filter((kind) => !strongIdentifierKinds.some((strong) => strong === kind));

/**
 * Customers with several external ids of which a later one was said of them while they held a phone: before strong identifiers decided,
 * a phone was enough for that. What a merge brought came by strong identifiers. Reads stretch by stretch until there are as many as
 * were asked for; `next` is where to go on, undefined at the end.
 */
export async function listSuspects(
  app: Postgres,
  profileId: string,
  { after, limit, progress }: { after: string; limit: number; progress: (looked: number) => void },
): Promise<{ suspects: Suspect[]; next: string | undefined }> {
  const suspects: Suspect[] = [];
  let place = after;
  for (let looked = 0; ; looked += stretch) {
    progress(looked);
    const [last, found] = await app.forProfile(profileId).transaction(async (tx) => {
      const { rows } = await sql<{ last: string | null }>`
        SELECT max(id::text) AS last FROM (
          SELECT id FROM customers WHERE profile_id = ${profileId} AND id > ${place} ORDER BY id LIMIT ${stretch}) c`.execute(
        tx,
      );
      const end = rows[0]?.last ?? null;
      return [end, end === null ? [] : await findSuspects(tx, profileId, place, end)] as const;
    });
    suspects.push(...found);
    if (suspects.length >= limit)
      return { suspects: suspects.slice(0, limit), next: (suspects[limit - 1] as Suspect).customerId };
    if (last === null) return { suspects, next: undefined };
    place = last;
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
      -- What the same message said for the first time can have found nobody; a request with both keys was of two messages.
      AND (h.said_at < j.said_at OR (h.said_at = j.said_at AND h.request_id IS DISTINCT FROM j.request_id))
    GROUP BY 1, 2, 3 HAVING bool_or(h.kind = ANY (${weakKinds}::text[])) ORDER BY 1`.execute(tx);
  return rows;
}
