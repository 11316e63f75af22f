import type { Tx } from '@tributary/postgres';
import type { FirstPaymentStatus } from '@tributary/rules';
import { type CauseKind, limits } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** Adds the causes to a conversion that is already dirty. The cause reference is kept only while all causes share it. */
const onConflictAddCauses = sql`ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'),
  causes = unite_causes(d.causes, excluded.causes), cause_ref = CASE WHEN d.cause_ref = excluded.cause_ref THEN d.cause_ref END`;

/** Marks conversions for recompute, each with its causes and an optional reference to what caused it. */
export async function markDirty(
  tx: Tx,
  profileId: string,
  causes: ReadonlyMap<string, readonly CauseKind[]>,
  ref: string | null = null,
): Promise<void> {
  if (causes.size > 0) await insertDirtyMarks(profileId, causes, ref).execute(tx);
}

/** Like `markDirty`, as a part of another statement. */
export function insertDirtyMarks(
  profileId: string,
  causes: ReadonlyMap<string, readonly CauseKind[]>,
  ref: string | null = null,
) {
  const ids = [...causes.keys()].sort();
  const kinds = ids.map((id) => causes.get(id)?.toSorted().join());
  return sql`
    INSERT INTO dirty_conversions AS d (profile_id, outcome_id, causes, cause_ref)
    SELECT ${profileId}, id, string_to_array(kinds, ','), ${ref}::uuid FROM unnest(${ids}::uuid[], ${kinds}::text[]) AS m (id, kinds)
    ${onConflictAddCauses}`;
}

/** Writes the first-payment state of payments and marks them dirty; null when an outcome is no payment any more. */
export async function saveStandings(
  tx: Tx,
  profileId: string,
  standings: readonly (readonly [id: string, standing: FirstPaymentStatus | null])[],
): Promise<void> {
  if (standings.length === 0) return;
  await sql`
    UPDATE outcomes o SET is_first_payment = n.is_first, purchase_id = n.purchase
    FROM unnest(
      ${standings.map(([id]) => id)}::uuid[],
      ${standings.map(([, standing]) => standing?.isFirstPayment ?? null)}::boolean[],
      ${standings.map(([, standing]) => standing?.purchaseId ?? null)}::uuid[]
    ) AS n (id, is_first, purchase)
    WHERE o.profile_id = ${profileId} AND o.id = n.id`.execute(tx);
  await markStandings(
    tx,
    profileId,
    standings.map(([id]) => id),
  );
}

/** Marks payments whose first-payment state or purchase changed. */
export const markStandings = (tx: Tx, profileId: string, ids: readonly string[]): Promise<void> =>
  markDirty(tx, profileId, new Map(ids.map((id) => [id, ['first_payment']])));

/** Marks later conversions of the customers as dirty, within the longest lookback: outcomes that name their ad are touchpoints of them. */
export async function markTouchedCustomers(
  tx: Tx,
  profileId: string,
  touches: readonly { readonly customerId: string; readonly at: Date }[],
): Promise<void> {
  if (touches.length === 0) return;
  await sql`
    INSERT INTO dirty_conversions AS d (profile_id, outcome_id, causes)
    SELECT DISTINCT ${profileId}::uuid, o.id, '{late_referral}'::text[]
    FROM unnest(${touches.map(({ customerId }) => customerId)}::uuid[], ${touches.map(({ at }) => at)}::timestamptz[]) AS t (customer_id, at)
    JOIN outcomes o ON o.profile_id = ${profileId} AND o.customer_id = t.customer_id
      AND o.occurred_at >= t.at AND o.occurred_at <= t.at + make_interval(days => ${limits.lookback.days.max})
    ORDER BY 2
    ${onConflictAddCauses}`.execute(tx);
}

/** Marks customers whose first payments must be derived later from all their payments, because this writer has not locked all of them. */
export async function markCustomersDirty(tx: Tx, profileId: string, customerIds: readonly string[]): Promise<void> {
  if (customerIds.length === 0) return;
  await sql`
    INSERT INTO dirty_customers (profile_id, customer_id)
    SELECT ${profileId}, id FROM unnest(${[...new Set(customerIds)].sort()}::uuid[]) AS id
    ON CONFLICT (profile_id, customer_id) DO UPDATE SET revision = nextval('dirty_revision')`.execute(tx);
}

/**
 * Applies new links from visitors to customers: moves the visitors' anonymous outcomes to the customers, and marks all conversions of these
 * customers, which may have new touchpoints.
 */
export async function markLinked(
  tx: Tx,
  profileId: string,
  links: readonly { readonly visitorId: string; readonly customerId: string }[],
): Promise<void> {
  if (links.length === 0) return;
  const customers = links.map(({ customerId }) => customerId);
  await sql`
    UPDATE outcomes o SET customer_id = link.customer_id, moved_from = coalesce(o.moved_from, o.visitor_id)
    FROM unnest(${links.map(({ visitorId }) => visitorId)}::uuid[], ${customers}::uuid[]) AS link (visitor_id, customer_id)
    WHERE o.profile_id = ${profileId} AND o.visitor_id = link.visitor_id AND o.customer_id IS NULL`.execute(tx);
  await sql`
    INSERT INTO dirty_conversions AS d (profile_id, outcome_id, causes)
    SELECT ${profileId}, id, '{link}' FROM outcomes
    WHERE profile_id = ${profileId} AND customer_id = ANY (${customers}::uuid[]) ORDER BY id
    ${onConflictAddCauses}`.execute(tx);
}
