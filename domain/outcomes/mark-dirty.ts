import type { Tx } from '@tributary/postgres';
import type { PaymentStanding } from '@tributary/rules';
import { type CauseKind, limits } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** A conversion that waits already waits for this, too. What was the cause can be pointed at while it is the only one. */
const united = sql`ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'),
  causes = unite_causes(d.causes, excluded.causes), cause_ref = CASE WHEN d.cause_ref = excluded.cause_ref THEN d.cause_ref END`;

/** Marks conversions whose attribution must be worked out again, each with its causes, and with what they can be pointed at by. */
export async function markDirty(
  tx: Tx,
  profileId: string,
  causes: ReadonlyMap<string, readonly CauseKind[]>,
  ref: string | null = null,
): Promise<void> {
  if (causes.size > 0) await dirtyMarks(profileId, causes, ref).execute(tx);
}

/** The same as a part of another statement. */
export function dirtyMarks(
  profileId: string,
  causes: ReadonlyMap<string, readonly CauseKind[]>,
  ref: string | null = null,
) {
  const ids = [...causes.keys()].sort();
  const kinds = ids.map((id) => causes.get(id)?.toSorted().join());
  return sql`
    INSERT INTO dirty_conversions AS d (profile_id, outcome_id, causes, cause_ref)
    SELECT ${profileId}, id, string_to_array(kinds, ','), ${ref}::uuid FROM unnest(${ids}::uuid[], ${kinds}::text[]) AS m (id, kinds)
    ${united}`;
}

/** Writes where payments stand now, and marks them; null is no payment any more. */
export async function saveStandings(
  tx: Tx,
  profileId: string,
  standings: readonly (readonly [id: string, standing: PaymentStanding | null])[],
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

/** Payments that are first ones now, or no longer, or of another purchase. */
export const markStandings = (tx: Tx, profileId: string, ids: readonly string[]): Promise<void> =>
  markDirty(tx, profileId, new Map(ids.map((id) => [id, ['first_payment']])));

/** Outcomes that name their ad are touches of what their customers did afterwards, as far as any lookback reaches. */
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
    ${united}`.execute(tx);
}

/** Customers whose first payments have to be derived as a whole, later: not all that it hangs on is in this writer's hands. */
export async function markCustomersDirty(tx: Tx, profileId: string, customerIds: readonly string[]): Promise<void> {
  if (customerIds.length === 0) return;
  await sql`
    INSERT INTO dirty_customers (profile_id, customer_id)
    SELECT ${profileId}, id FROM unnest(${[...new Set(customerIds)].sort()}::uuid[]) AS id
    ON CONFLICT (profile_id, customer_id) DO UPDATE SET revision = nextval('dirty_revision')`.execute(tx);
}

/**
 * A browser turned out to be a customer's: what it did while nobody was known is theirs, and all of their conversions may have
 * earned touches.
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
    ${united}`.execute(tx);
}
