import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';
import type { BookChanges, Conflict, Evidence, Link, SourcedBinding } from './customer-book.ts';

/**
 * Writes the changes of a book whose customers were opened in this transaction. Sends a handful of statements, whatever the number of rows,
 * without waiting between them.
 */
export async function saveCustomers(tx: Tx, profileId: string, changes: BookChanges): Promise<void> {
  await Promise.all([
    saveRecords(tx, profileId, changes),
    saveConflicts(tx, profileId, changes.conflicts),
    saveCoMentions(tx, profileId, changes.together),
    saveProposals(tx, profileId, changes.proposals),
    saveMerges(tx, profileId, changes.merges),
    saveOwnFacts(tx, profileId, changes.ownFacts),
  ]);
}

/** Writes customers and their identifiers in one statement, so that the foreign key is checked when both exist. */
async function saveRecords(tx: Tx, profileId: string, { customers, links }: BookChanges): Promise<void> {
  if (customers.length === 0) return;
  // As JSON, because unnest would flatten the lists inside the rows.
  const records = sql`
    INSERT INTO customers (profile_id, id, first_name, last_name, primary_email, primary_phone, sources, terms,
      first_seen_at, last_seen_at, created_at, own)
    SELECT ${profileId}, r.id, r."firstName", r."lastName", r."primaryEmail", r."primaryPhone", r.sources, r.terms,
      r."firstSeenAt", r."lastSeenAt", r."createdAt", r.own
    FROM jsonb_to_recordset(${JSON.stringify(customers)}::jsonb) AS r (id uuid, "firstName" text, "lastName" text,
      "primaryEmail" text, "primaryPhone" text, sources text[], terms text[], "firstSeenAt" timestamptz,
      "lastSeenAt" timestamptz, "createdAt" timestamptz, own jsonb)
    ON CONFLICT (profile_id, id) DO UPDATE SET first_name = excluded.first_name, last_name = excluded.last_name,
      primary_email = excluded.primary_email, primary_phone = excluded.primary_phone, sources = excluded.sources,
      terms = excluded.terms, first_seen_at = excluded.first_seen_at, last_seen_at = excluded.last_seen_at,
      own = coalesce(customers.own, excluded.own)`;
  const whole =
    links.length === 0
      ? records
      : sql`
    WITH records AS (${records})
    INSERT INTO identifiers (profile_id, kind, value, customer_id, source, said_at, request_id, moved_from)
    SELECT ${profileId}, b.kind, b.value, b.customer_id, b.source, b.said_at, b.request_id, nullif(b.said_of, b.customer_id)
    FROM ${asRows(links)}`;
  await whole.execute(tx);
}

async function saveConflicts(tx: Tx, profileId: string, conflicts: BookChanges['conflicts']): Promise<void> {
  if (conflicts.length === 0) return;
  await sql`
    INSERT INTO identity_conflicts AS known (profile_id, kind, value, customer_id, source, said_at, request_id, is_claim)
    SELECT DISTINCT ON (b.kind, b.value, b.customer_id)
      ${profileId}, b.kind, b.value, b.customer_id, b.source, b.said_at, b.request_id, b.is_claim
    FROM ${asRows(conflicts)} ORDER BY b.kind, b.value, b.customer_id, b.is_claim DESC, b.said_at
    ON CONFLICT (profile_id, kind, value, customer_id) DO UPDATE SET is_claim = true
    WHERE excluded.is_claim AND NOT known.is_claim`.execute(tx);
}

async function saveCoMentions(tx: Tx, profileId: string, together: BookChanges['together']): Promise<void> {
  if (together.length === 0) return;
  await tx
    .insertInto('said_together')
    .values(
      together.map(({ one, other, saidKinds, evidence }) => ({
        profile_id: profileId,
        one,
        other,
        said_at: evidence.saidAt,
        source: evidence.source,
        request_id: idOf(evidence),
        said_kinds: [...saidKinds],
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Keeps the state of pairs that were proposed before. */
async function saveProposals(tx: Tx, profileId: string, proposals: BookChanges['proposals']): Promise<void> {
  if (proposals.length === 0) return;
  await tx
    .insertInto('merge_proposals')
    .values(
      proposals.map(({ one, other, kind, value, evidence }) => ({
        profile_id: profileId,
        one,
        other,
        kind,
        value,
        source: evidence.source,
        request_id: idOf(evidence),
        proposed_at: evidence.saidAt,
      })),
    )
    .onConflict((conflict) => conflict.columns(['profile_id', 'one', 'other']).doNothing())
    .execute();
}

/** Runs after the links are written, so that links that this batch gave to a loser move too. */
async function saveMerges(tx: Tx, profileId: string, merges: BookChanges['merges']): Promise<void> {
  if (merges.length === 0) return;
  const losers = merges.map(({ loserId }) => loserId);
  const finals = merges.map(({ finalId }) => finalId);
  const survivorByLoser = sql`unnest(${losers}::uuid[], ${finals}::uuid[]) AS m (loser, final)`;
  await Promise.all([
    // First, because it counts the identifiers before they move, and because triggers on customers attribute moved conversions to this merge.
    tx
      .insertInto('merges')
      .values(
        merges.map(({ loserId, survivorId, saidKinds, named, evidence }) => ({
          profile_id: profileId,
          loser_id: loserId,
          survivor_id: survivorId,
          merged_at: evidence.saidAt,
          source: evidence.source,
          request_id: idOf(evidence),
          said_kinds: [...saidKinds],
          confirmed_by: evidence.confirmedBy ?? null,
          named_one: named[0],
          named_other: named[1],
          moved_identifiers: sql<number>`(
            SELECT count(*) FROM identifiers WHERE profile_id = ${profileId} AND customer_id = ${loserId})`,
        })),
      )
      .execute(),
    sql`
      UPDATE identifiers i SET customer_id = m.final, moved_from = coalesce(i.moved_from, i.customer_id)
      FROM ${survivorByLoser}
      WHERE i.profile_id = ${profileId} AND i.customer_id = m.loser`.execute(tx),
    sql`
      UPDATE customers c SET merged_into = m.survivor
      FROM unnest(${losers}::uuid[], ${merges.map(({ survivorId }) => survivorId)}::uuid[]) AS m (loser, survivor)
      WHERE c.profile_id = ${profileId} AND c.id = m.loser`.execute(tx),
    // Constraints of a loser apply to its survivor.
    ...['one_is', 'other_is'].map((side) =>
      sql`
        UPDATE kept_apart a SET ${sql.ref(side)} = m.final FROM ${survivorByLoser}
        WHERE a.profile_id = ${profileId} AND a.${sql.ref(side)} = m.loser`.execute(tx),
    ),
  ]);
}

/** Stores the own facts of merged customers next to the merged facts, so that a merge can be undone. */
async function saveOwnFacts(tx: Tx, profileId: string, ownFacts: BookChanges['ownFacts']): Promise<void> {
  if (ownFacts.size === 0) return;
  const rows = [...ownFacts].map(([id, facts]) => ({ id, ...facts }));
  await sql`
    UPDATE customers c SET own = jsonb_build_object(
      'firstName', coalesce(was.own ->> 'firstName', s."firstName"), 'lastName', coalesce(was.own ->> 'lastName', s."lastName"),
      'primaryEmail', coalesce(was.own ->> 'primaryEmail', s."primaryEmail"), 'primaryPhone', coalesce(was.own ->> 'primaryPhone', s."primaryPhone"),
      'sources', (SELECT jsonb_agg(DISTINCT source) FROM jsonb_array_elements_text(was.own -> 'sources' || s.sources) AS source),
      'firstSeenAt', least((was.own ->> 'firstSeenAt')::timestamptz, s."firstSeenAt"),
      'lastSeenAt', greatest((was.own ->> 'lastSeenAt')::timestamptz, s."lastSeenAt"),
      'saidAt', (SELECT coalesce(jsonb_object_agg(fact, at), '{}') FROM jsonb_each(s."saidAt") AS said (fact, at) WHERE was.own ->> fact IS NULL)
        || coalesce(was.own -> 'saidAt', '{}'))
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS s (id uuid, "firstName" text, "lastName" text, "primaryEmail" text,
      "primaryPhone" text, sources jsonb, "firstSeenAt" timestamptz, "lastSeenAt" timestamptz, "saidAt" jsonb)
    JOIN customers found ON found.profile_id = ${profileId} AND found.id = s.id
    CROSS JOIN LATERAL (SELECT coalesce(found.own, jsonb_build_object('firstName', found.first_name, 'lastName', found.last_name,
      'primaryEmail', found.primary_email, 'primaryPhone', found.primary_phone, 'sources', to_jsonb(found.sources),
      'firstSeenAt', found.first_seen_at, 'lastSeenAt', found.last_seen_at)) AS own) was
    WHERE c.profile_id = ${profileId} AND c.id = s.id`.execute(tx);
}

const asRows = (bindings: readonly (SourcedBinding & Partial<Link & Conflict>)[]) => sql`unnest(
  ${bindings.map(({ kind }) => kind)}::text[],
  ${bindings.map(({ value }) => value)}::text[],
  ${bindings.map(({ customerId }) => customerId)}::uuid[],
  ${bindings.map(({ evidence }) => evidence.source)}::text[],
  ${bindings.map(({ evidence }) => evidence.saidAt)}::timestamptz[],
  ${bindings.map(({ evidence }) => idOf(evidence))}::uuid[],
  ${bindings.map(({ saidOf }) => saidOf ?? null)}::uuid[],
  ${bindings.map(({ isClaim }) => isClaim ?? null)}::boolean[])
  AS b (kind, value, customer_id, source, said_at, request_id, said_of, is_claim)`;

/** Removes the prefix of a request id, which leaves a UUID. */
const idOf = ({ requestId }: Evidence): string => requestId.replace(/^req_/, '');
