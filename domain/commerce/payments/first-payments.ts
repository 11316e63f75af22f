import { saveStandings } from '@tributary/domain/commerce/outcomes';
import type { Tx } from '@tributary/postgres';
import { firstPayments } from '@tributary/rules';
import { sql } from 'kysely';

/**
 * Recomputes the first payments of customers from all their payments and writes the changes. Used after merges and
 * definition changes, which do not know the payments they affect; `placePayments` handles known payments. The customers
 * must be locked.
 */
export async function deriveFirstPayments(tx: Tx, profileId: string, customerIds: readonly string[]): Promise<void> {
  if (customerIds.length === 0) return;
  const rows = await readPayments(tx, profileId, customerIds);
  const byCustomer = Map.groupBy(
    rows.filter(({ isPayment }) => isPayment),
    ({ customerId }) => customerId,
  );
  const standings = new Map([...byCustomer.values()].flatMap((payments) => [...firstPayments(payments)]));
  const changed = rows.filter(({ id, isFirstPayment, purchaseId }) => {
    const derived = standings.get(id);
    return isFirstPayment !== (derived?.isFirstPayment ?? null) || purchaseId !== (derived?.purchaseId ?? null);
  });
  await saveStandings(
    tx,
    profileId,
    changed.map(({ id }) => [id, standings.get(id) ?? null]),
  );
}

interface PaymentRow {
  readonly id: string;
  readonly customerId: string;
  readonly paidAt: Date;
  readonly subjectRef: string | null;
  readonly isInstallment: boolean;
  readonly isFirstPayment: boolean | null;
  readonly purchaseId: string | null;
  readonly isPayment: boolean;
}

/** Every outcome with an amount, and every outcome that was a payment under an earlier definition. */
async function readPayments(tx: Tx, profileId: string, customerIds: readonly string[]): Promise<PaymentRow[]> {
  const { rows } = await sql<PaymentRow>`
    SELECT o.id, o.customer_id AS "customerId", o.occurred_at AS "paidAt", o.subject_ref AS "subjectRef", o.is_installment AS "isInstallment",
      o.is_first_payment AS "isFirstPayment", o.purchase_id AS "purchaseId", coalesce(o.counts_as_cash, false) AND o.amount IS NOT NULL AS "isPayment"
    FROM outcome_meanings o
    WHERE o.profile_id = ${profileId} AND o.customer_id = ANY (${customerIds}::uuid[]) AND (o.amount IS NOT NULL OR o.is_first_payment IS NOT NULL)`.execute(
    tx,
  );
  return rows;
}
