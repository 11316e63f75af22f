import type { Schema, Tx } from '@tributary/postgres';
import { type Origin, outcomeIdOf, revenueType } from '@tributary/rules';
import { isUuidInAnyCase, type RevenueType, type UncountedReason } from '@tributary/vocabulary';
import { type RawBuilder, type Selectable, sql } from 'kysely';

/** The subject of outcomes: a customer, an anonymous visitor, or a single outcome without either. */
export type OutcomeOwner =
  | { readonly customerId: string }
  | { readonly visitorId: string }
  | { readonly outcomeId: string };

export interface OutcomesQuery {
  readonly owner: OutcomeOwner;
  readonly until: Date;
  /** 'beside visits' excludes outcomes already shown as visits; 'conversions' includes only outcomes with a definition or an origin. */
  readonly part: 'beside visits' | 'conversions';
}

export type PersonOutcome = Omit<Selectable<Schema['outcomes']>, 'profile_id' | 'origin'> & {
  /** The ad or click that its message names, if any. */
  readonly origin: Origin | null;
  /** The lookback of its definition; null if none matches. */
  readonly lookback_days: number | null;
};

/** The columns that the view outcome_meanings adds to outcomes. */
interface Meaning {
  readonly profile_id: string;
  readonly definition_id: string | null;
  readonly conversion_type: string | null;
  readonly counts_as_cash: boolean | null;
  readonly is_attribution_eligible: boolean | null;
  readonly lookback_window_days: number | null;
}

const ownedBy = (owner: OutcomeOwner): RawBuilder<unknown> => {
  if ('customerId' in owner) return sql`o.customer_id = ${owner.customerId}`;
  if ('visitorId' in owner) return sql`o.visitor_id = ${owner.visitorId} AND o.customer_id IS NULL`;
  return sql`o.id = ${owner.outcomeId}`;
};

/** Source and filter of each part. Joins the definitions only where the filter needs them. */
const parts = {
  'beside visits': {
    source: sql`outcomes`,
    // Excludes duplicates, which are other records of a counted payment.
    filter: sql`NOT (o.visitor_id IS NOT NULL AND left(o.idempotency_key, 6) = 'visit:') AND o.uncounted IS DISTINCT FROM 'duplicate'`,
    origin: sql`coalesce(o.origin, (
      SELECT d.origin FROM outcomes d WHERE d.profile_id = o.profile_id AND d.duplicate_of = o.id AND d.origin IS NOT NULL ORDER BY d.id LIMIT 1))`,
  },
  conversions: {
    source: sql`outcome_meanings`,
    filter: sql`(o.definition_id IS NOT NULL OR o.origin IS NOT NULL)`,
    origin: sql`o.origin`,
  },
} as const satisfies Record<OutcomesQuery['part'], unknown>;

const from = (profileId: string, { owner, until, part }: OutcomesQuery) => sql`
  FROM ${parts[part].source} o WHERE o.profile_id = ${profileId} AND ${ownedBy(owner)}
    AND o.occurred_at < ${until}::timestamptz + interval '1 millisecond' AND ${parts[part].filter}`;

/** The times of the first `limit` outcomes in milliseconds, and the total count. */
export async function listOutcomeTimes(
  tx: Tx,
  profileId: string,
  query: OutcomesQuery,
  limit: number,
): Promise<{ count: number; times: number[] }> {
  const { rows } = await sql<{ count: number; times: number[] | null }>`
    SELECT (SELECT count(*) ${from(profileId, query)})::int AS count, (
      SELECT json_agg(at) FROM (
        SELECT floor(extract(epoch FROM o.occurred_at) * 1000) AS at ${from(profileId, query)}
        ORDER BY o.occurred_at, o.id LIMIT ${limit}) AS first
    ) AS times`.execute(tx);
  return { count: rows[0]?.count ?? 0, times: rows[0]?.times ?? [] };
}

export async function listOutcomes(
  tx: Tx,
  profileId: string,
  query: OutcomesQuery,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<PersonOutcome[]> {
  if (limit === 0) return [];
  const { rows } = await sql<Omit<PersonOutcome, 'lookback_days'> & Meaning>`
    SELECT o.*, ${parts[query.part].origin} AS origin
    FROM (SELECT o.id ${from(profileId, query)} ORDER BY o.occurred_at, o.id LIMIT ${limit} OFFSET ${offset}) AS page
    JOIN outcome_meanings o ON o.profile_id = ${profileId} AND o.id = page.id
    ORDER BY o.occurred_at, o.id`.execute(tx);
  return rows.map((row) => {
    const { profile_id, definition_id, conversion_type, counts_as_cash, is_attribution_eligible, ...rest } = row;
    const { lookback_window_days, ...outcome } = rest;
    return { ...outcome, lookback_days: lookback_window_days };
  });
}

/** The outcome types that visits were recorded as, by visit id. */
export async function findTypesOfVisits(
  tx: Tx,
  profileId: string,
  visitIds: readonly string[],
): Promise<Map<string, string>> {
  if (visitIds.length === 0) return new Map();
  const rows = await tx
    .selectFrom('outcomes')
    .select(['idempotency_key', 'event_type'])
    .where('profile_id', '=', profileId)
    .where(
      'idempotency_key',
      'in',
      visitIds.map((id) => `visit:${id}`),
    )
    .execute();
  return new Map(rows.map((row) => [row.idempotency_key.slice('visit:'.length), row.event_type]));
}

/** A conversion with the conversion and revenue type of its definition. */
export interface PersonConversion {
  readonly id: string;
  readonly eventName: string;
  readonly occurredAt: Date;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly conversionType: string;
  readonly revenueType: RevenueType;
}

export async function listNewestConversions(
  tx: Tx,
  profileId: string,
  owner: OutcomeOwner,
  limit: number,
): Promise<PersonConversion[]> {
  const { rows } = await sql<Omit<PersonConversion, 'revenueType'> & { countsAsCash: boolean }>`
    SELECT o.id, o.event_name AS "eventName", o.occurred_at AS "occurredAt", trim_scale(greatest(o.amount - o.refunded, 0))::text AS amount, o.currency,
      o.conversion_type AS "conversionType", o.counts_as_cash AS "countsAsCash"
    FROM outcome_meanings o
    WHERE o.profile_id = ${profileId} AND ${ownedBy(owner)} AND o.definition_id IS NOT NULL
    ORDER BY o.occurred_at DESC, o.id DESC LIMIT ${limit}`.execute(tx);
  return rows.map(({ countsAsCash, ...row }) => ({ ...row, revenueType: revenueType({ ...row, countsAsCash }) }));
}

export async function countConversions(tx: Tx, profileId: string, owner: OutcomeOwner): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM outcome_meanings o
    WHERE o.profile_id = ${profileId} AND ${ownedBy(owner)} AND o.definition_id IS NOT NULL`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** An outcome found by a handle, with the lookback of its definition; null if none matches. */
export interface NamedOutcome {
  readonly id: string;
  readonly occurredAt: Date;
  readonly customerId: string | null;
  readonly visitorId: string | null;
  readonly lookbackDays: number | null;
}

const named = (condition: RawBuilder<unknown>) => sql<NamedOutcome>`
  SELECT o.id, o.occurred_at AS "occurredAt", o.customer_id AS "customerId", o.visitor_id AS "visitorId",
    o.lookback_window_days AS "lookbackDays"
  FROM outcome_meanings o WHERE ${condition} LIMIT 1`;

/** Finds an outcome by outcome id, conversion id or idempotency key. */
export async function findOutcome(tx: Tx, profileId: string, handle: string): Promise<NamedOutcome | undefined> {
  const of = sql`o.profile_id = ${profileId}`;
  const byId = isUuidInAnyCase(handle)
    ? await named(sql`${of} AND o.id IN (${handle}, ${outcomeIdOf(handle)})`).execute(tx)
    : { rows: [] };
  if (byId.rows[0]) return byId.rows[0];
  const byKey = await named(sql`${of} AND o.idempotency_key = ${handle}`).execute(tx);
  return byKey.rows[0];
}

/** The current customer of an outcome. */
export interface OutcomePerson {
  readonly id: string;
  readonly source: string;
  readonly customerId: string | null;
  readonly isErased: boolean;
}

export async function findOutcomeCustomers(
  tx: Tx,
  profileId: string,
  ids: readonly string[],
): Promise<OutcomePerson[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<OutcomePerson>`
    SELECT id, source, customer_id AS "customerId", erased_at IS NOT NULL AS "isErased" FROM outcomes
    WHERE profile_id = ${profileId} AND id = ANY (${[...ids]}::uuid[])`.execute(tx);
  return rows;
}

/** A conversion that an activity reported later may be a touchpoint of. */
export interface TouchedConversion {
  readonly id: string;
  readonly customerId: string;
  readonly occurredAt: Date;
  readonly lookbackDays: number;
}

/** Conversions with one of their customer's moments within the lookback, earliest first. */
export async function listConversionsAfter(
  tx: Tx,
  profileId: string,
  moments: readonly { readonly customerId: string; readonly at: Date }[],
  limit: number,
): Promise<TouchedConversion[]> {
  if (moments.length === 0) return [];
  const { rows } = await sql<TouchedConversion>`
    SELECT DISTINCT o.id, o.customer_id AS "customerId", o.occurred_at AS "occurredAt", o.lookback_window_days AS "lookbackDays"
    FROM unnest(${moments.map(({ customerId }) => customerId)}::uuid[], ${moments.map(({ at }) => at)}::timestamptz[]) AS t (customer_id, at)
    JOIN outcome_meanings o ON o.profile_id = ${profileId} AND o.customer_id = t.customer_id AND o.is_attribution_eligible
      AND o.occurred_at >= t.at AND o.occurred_at <= t.at + make_interval(days => o.lookback_window_days)
    ORDER BY o.occurred_at, o.id LIMIT ${limit}`.execute(tx);
  return rows;
}

/** The origins (ads and clicks) that the customers' outcomes name. */
export async function listOrigins(
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
  limit: number,
): Promise<{ id: string; customerId: string; occurredAt: Date; origin: Origin }[]> {
  if (customerIds.length === 0) return [];
  const { rows } = await sql<{ id: string; customerId: string; occurredAt: Date; origin: Origin }>`
    SELECT id, customer_id AS "customerId", occurred_at AS "occurredAt", origin FROM outcomes
    WHERE profile_id = ${profileId} AND customer_id = ANY (${[...customerIds]}::uuid[]) AND origin IS NOT NULL LIMIT ${limit}`.execute(
    tx,
  );
  return rows;
}

/** An outcome with the fields that may be exported to ad platforms. */
export interface Exportable {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly occurredAt: Date;
  readonly amount: string | null;
  readonly refunded: string;
  readonly currency: string | null;
  readonly rest: unknown;
  readonly customerId: string | null;
  readonly visitorId: string | null;
  readonly isErased: boolean;
  readonly definitionId: string | null;
  readonly uncounted: UncountedReason | null;
  /** The counted record of its sale, which determines amount, time and definition. */
  readonly saleId: string;
  /** The business reported it, so a pixel may report it under the same key. */
  readonly isOwn: boolean;
}

export async function findExportable(
  tx: Tx,
  profileId: string,
  ids: readonly string[],
): Promise<Map<string, Exportable>> {
  const { rows } = await sql<Exportable>`
    SELECT o.id, o.idempotency_key AS "idempotencyKey", c.occurred_at AS "occurredAt", trim_scale(c.amount)::text AS amount, c.refunded::text AS refunded,
      c.currency, o.rest, o.customer_id AS "customerId", o.visitor_id AS "visitorId",
      (o.erased_at IS NOT NULL OR c.erased_at IS NOT NULL) AS "isErased", c.definition_id AS "definitionId", o.uncounted, c.id AS "saleId",
      o.external_id IS NULL AS "isOwn"
    FROM outcome_meanings o
    JOIN outcome_meanings c ON c.profile_id = ${profileId} AND c.id = coalesce(o.duplicate_of, o.id)
    WHERE o.profile_id = ${profileId} AND o.id = ANY (${[...ids]}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}
