import { saveStandings } from '@tributary/domain/outcomes';
import type { Tx } from '@tributary/postgres';
import { firstPayments } from '@tributary/rules';
import { sql } from 'kysely';

/**
 * Derives which payments of customers are first ones from all of theirs, and writes what changed. For what cannot tell which
 * payments it concerns, as a merge or a definition; `placePayments` is for those that can. The customers must be locked.
 */
export async function deriveFirstPayments(tx: Tx, profileId: string, customerIds: readonly string[]): Promise<void> {
  if (customerIds.length === 0) return;
  const payments = await readPayments(tx, profileId, customerIds);
  const ofCustomers = Map.groupBy(
    payments.filter(({ isPayment }) => isPayment),
    ({ customerId }) => customerId,
  );
  const standings = new Map([...ofCustomers.values()].flatMap((ofOne) => [...firstPayments(ofOne)]));
  const changed = payments.filter(({ id, isFirstPayment, purchaseId }) => {
    const standing = standings.get(id);
    return isFirstPayment !== (standing?.isFirstPayment ?? null) || purchaseId !== (standing?.purchaseId ?? null);
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

/** Every outcome with money, and those that were payments under an earlier definition. */
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
