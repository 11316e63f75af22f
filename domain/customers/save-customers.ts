import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';
import type { BookChanges, Evidence, SaidBinding } from './customer-book.ts';

/**
 * Writes what a book took in; its customers were opened in this transaction. A handful of statements, however many rows, of which
 * none waits for what another answers.
 */
export async function saveCustomers(tx: Tx, profileId: string, changes: BookChanges): Promise<void> {
  await Promise.all([
    saveRecords(tx, profileId, changes),
    saveConflicts(tx, profileId, changes.conflicts),
    saveMerges(tx, profileId, changes.merges),
  ]);
}

/** Customers and what was said to be theirs, in one statement: the reference from the one to the other is looked at when both are there. */
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
    INSERT INTO identifiers (profile_id, kind, value, customer_id, source, said_at, request_id)
    SELECT ${profileId}, b.* FROM ${asRows(links)}`;
  await whole.execute(tx);
}

async function saveConflicts(tx: Tx, profileId: string, conflicts: BookChanges['conflicts']): Promise<void> {
  if (conflicts.length === 0) return;
  await sql`
    INSERT INTO identity_conflicts (profile_id, kind, value, customer_id, source, said_at, request_id)
    SELECT ${profileId}, b.* FROM ${asRows(conflicts)} ON CONFLICT DO NOTHING`.execute(tx);
}

/** After the links: those that the batch itself gave a loser move with the others. */
async function saveMerges(tx: Tx, profileId: string, merges: BookChanges['merges']): Promise<void> {
  if (merges.length === 0) return;
  const losers = merges.map(({ loserId }) => loserId);
  await Promise.all([
    sql`
      UPDATE identifiers i SET customer_id = m.final, moved_from = coalesce(i.moved_from, i.customer_id)
      FROM unnest(${losers}::uuid[], ${merges.map(({ finalId }) => finalId)}::uuid[]) AS m (loser, final)
      WHERE i.profile_id = ${profileId} AND i.customer_id = m.loser`.execute(tx),
    // Before the customers, whose triggers say by which merge conversions changed hands.
    tx
      .insertInto('merges')
      .values(
        merges.map(({ loserId, survivorId, saidKinds, evidence }) => ({
          profile_id: profileId,
          loser_id: loserId,
          survivor_id: survivorId,
          merged_at: evidence.saidAt,
          source: evidence.source,
          request_id: idOf(evidence),
          said_kinds: [...saidKinds],
        })),
      )
      .execute(),
    sql`
      UPDATE customers c SET merged_into = m.survivor
      FROM unnest(${losers}::uuid[], ${merges.map(({ survivorId }) => survivorId)}::uuid[]) AS m (loser, survivor)
      WHERE c.profile_id = ${profileId} AND c.id = m.loser`.execute(tx),
  ]);
}

const asRows = (bindings: readonly SaidBinding[]) => sql`unnest(
  ${bindings.map(({ kind }) => kind)}::text[],
  ${bindings.map(({ value }) => value)}::text[],
  ${bindings.map(({ customerId }) => customerId)}::uuid[],
  ${bindings.map(({ evidence }) => evidence.source)}::text[],
  ${bindings.map(({ evidence }) => evidence.saidAt)}::timestamptz[],
  ${bindings.map(({ evidence }) => idOf(evidence))}::uuid[]) AS b`;

/** A request id is a UUID behind a prefix. */
const idOf = ({ requestId }: Evidence): string => requestId.replace(/^req_/, '');
