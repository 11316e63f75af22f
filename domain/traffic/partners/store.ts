import type { Tx } from '@tributary/postgres';
import type { Origin } from '@tributary/rules';
import type { DeclaredSourceAnswer, PartnerTouchKind } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** A touch of a customer that a partner reported. */
export interface PartnerTouch {
  readonly id: string;
  readonly kind: PartnerTouchKind;
  readonly customerId: string;
  readonly occurredAt: Date;
  readonly origin: Origin;
  readonly adExternalId: string | null;
  readonly answerKey: DeclaredSourceAnswer | null;
}

const columns =
  sql.raw(`id, kind, customer_id AS "customerId", occurred_at AS "occurredAt", origin, ad_external_id AS "adExternalId",
  answer_key AS "answerKey"`);

/** Finds touches by the hash of their idempotency key, as a map by hash in hexadecimal. */
export async function findExistingTouches(
  tx: Tx,
  profileId: string,
  kind: PartnerTouchKind,
  hashes: readonly Buffer[],
): Promise<Map<string, PartnerTouch>> {
  const { rows } = await sql<PartnerTouch & { hash: string }>`
    SELECT ${columns}, encode(told_hash, 'hex') AS hash FROM partner_touches
    WHERE profile_id = ${profileId} AND kind = ${kind} AND told_hash = ANY (${[...hashes]}::bytea[])`.execute(tx);
  return new Map(rows.map(({ hash, ...touch }) => [hash, touch]));
}

/** Finds the answer that counts for a customer. */
export async function findAnswer(tx: Tx, profileId: string, customerId: string): Promise<PartnerTouch | undefined> {
  const { rows } = await sql<PartnerTouch>`
    SELECT ${columns} FROM partner_touches
    WHERE profile_id = ${profileId} AND customer_id = ${customerId} AND kind = 'declared_source' AND NOT is_second`.execute(
    tx,
  );
  return rows[0];
}

export interface NewTouch extends PartnerTouch {
  readonly keyHash: Buffer;
  /** The customer that the report named, if that one was merged into this customer before. */
  readonly saidOf: string;
  readonly answerText: string | null;
}

/**
 * Inserts touches and resolves to the ids of the inserted ones. Skips keys that a concurrent request inserted first.
 */
export async function insertTouches(
  tx: Tx,
  profileId: string,
  touches: readonly NewTouch[],
  now: Date,
): Promise<Set<string>> {
  if (touches.length === 0) return new Set();
  const rows = touches.map(({ keyHash, ...touch }) => ({ ...touch, keyHash: keyHash.toString('hex') }));
  const inserted = await sql<{ id: string }>`
    INSERT INTO partner_touches (profile_id, id, kind, told_hash, customer_id, occurred_at, recorded_at, origin, ad_external_id, answer_key, answer_text,
      moved_from)
    SELECT ${profileId}, t.id, t.kind, decode(t."keyHash", 'hex'), t."customerId", t."occurredAt", ${now}, t.origin, t."adExternalId", t."answerKey", t."answerText",
      nullif(t."saidOf", t."customerId")
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS t (id uuid, kind text, "keyHash" text, "customerId" uuid, "occurredAt" timestamptz,
      "saidOf" uuid, origin jsonb, "adExternalId" text, "answerKey" text, "answerText" text)
    ON CONFLICT DO NOTHING RETURNING id`.execute(tx);
  return new Set(inserted.rows.map(({ id }) => id));
}

/** Lists the touches of customers, up to `limit`. */
export async function listCustomerTouches(
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
  limit: number,
): Promise<PartnerTouch[]> {
  const { rows } = await sql<PartnerTouch>`
    SELECT ${columns} FROM partner_touches
    WHERE profile_id = ${profileId} AND customer_id = ANY (${[...customerIds]}::uuid[]) AND NOT is_second LIMIT ${limit}`.execute(
    tx,
  );
  return rows;
}

const touchesUntil = (customerId: string, profileId: string, last: Date) => sql`
  FROM partner_touches WHERE profile_id = ${profileId} AND customer_id = ${customerId} AND NOT is_second
    AND occurred_at < ${last}::timestamptz + interval '1 millisecond'`;

/** The times of a customer's first `limit` touches in milliseconds, and the number of all touches. */
export async function listPartnerTouchTimes(
  tx: Tx,
  profileId: string,
  customerId: string,
  last: Date,
  limit: number,
): Promise<{ count: number; times: number[] }> {
  const from = touchesUntil(customerId, profileId, last);
  const { rows } = await sql<{ count: number; times: number[] | null }>`
    SELECT (SELECT count(*) ${from})::int AS count, (
      SELECT json_agg(at) FROM (
        SELECT floor(extract(epoch FROM occurred_at) * 1000) AS at ${from} ORDER BY occurred_at, id LIMIT ${limit}) AS first
    ) AS times`.execute(tx);
  return { count: rows[0]?.count ?? 0, times: rows[0]?.times ?? [] };
}

/** A page of these touches, in the same order. */
export async function listPartnerTouches(
  tx: Tx,
  profileId: string,
  customerId: string,
  last: Date,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<PartnerTouch[]> {
  const { rows } = await sql<PartnerTouch>`
    SELECT ${columns} ${touchesUntil(customerId, profileId, last)} ORDER BY occurred_at, id LIMIT ${limit} OFFSET ${offset}`.execute(
    tx,
  );
  return rows;
}
