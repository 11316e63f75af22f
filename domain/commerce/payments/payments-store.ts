import type { OwnedPayment } from '@tributary/domain/commerce/outcomes';
import type { Tx } from '@tributary/postgres';
import type { FirstPaymentStatus } from '@tributary/rules';
import { sql } from 'kysely';

/**
 * The view `payments` holds outcomes that have a first-payment status. An outcome that became a payment by a changed
 * definition has none yet; its customer is dirty and will be recomputed.
 */
const columns = sql.raw(
  'customer_id AS "customerId", id, paid_at AS "paidAt", subject_ref AS "subjectRef", is_installment AS "isInstallment"',
);

/**
 * For each customer: the earliest untagged payment, the earliest tagged one, and the earliest of each requested
 * subject. Ignores the payments in `except`.
 */
export async function findEarliest(
  tx: Tx,
  profileId: string,
  wanted: readonly Pick<OwnedPayment, 'customerId' | 'subjectRef'>[],
  except: readonly string[],
): Promise<OwnedPayment[]> {
  if (wanted.length === 0) return [];
  const customers = [...new Set(wanted.map(({ customerId }) => customerId))];
  const subjects = [
    ...new Map(
      wanted.flatMap((one) => (one.subjectRef === null ? [] : [[`${one.customerId} ${one.subjectRef}`, one]])),
    ).values(),
  ];
  const isOther = except.length === 0 ? sql`` : sql`AND o.id <> ALL (${except}::uuid[])`;
  // Uses ranges of a single value and keeps that value in ORDER BY. With `=`, PostgreSQL drops it from the sort keys.
  // If it then misjudges the number of tagged rows, it scans the customer's outcomes by time from start to end.
  const earliest = (range: ReturnType<typeof sql>, first: ReturnType<typeof sql>) => sql`
    SELECT ${columns} FROM payments o
    WHERE o.profile_id = ${profileId} AND o.customer_id = c.id AND ${range} ${isOther}
    ORDER BY ${first}, o.paid_at, o.id LIMIT 1`;
  const tag = sql`(CASE WHEN o.subject_ref IS NULL THEN 0 ELSE 1 END)`;
  const ofSubjects =
    subjects.length === 0
      ? sql``
      : sql`UNION ALL SELECT p.* FROM unnest(
          ${subjects.map(({ customerId }) => customerId)}::uuid[], ${subjects.map(({ subjectRef }) => subjectRef)}::text[]
        ) AS c (id, subject) CROSS JOIN LATERAL (
          ${earliest(sql`o.subject_ref >= c.subject AND o.subject_ref <= c.subject`, sql`o.subject_ref`)}) p`;
  const { rows } = await sql<OwnedPayment>`
    SELECT p.* FROM unnest(${customers}::uuid[]) AS c (id) CROSS JOIN LATERAL (
      (${earliest(sql`${tag} <= 0`, tag)}) UNION ALL (${earliest(sql`${tag} >= 1`, tag)})) p
    ${ofSubjects}`.execute(tx);
  return rows;
}

export interface PaymentWindow {
  readonly customerId: string;
  readonly subjectRef: string | null;
  readonly from: Date;
  readonly to: Date;
}

export interface UnsettledPayment {
  readonly payment: OwnedPayment;
  readonly was: FirstPaymentStatus;
  /** The earliest payment of its purchase, if it belongs to one. */
  readonly opening: OwnedPayment | undefined;
}

export async function findUnsettled(
  tx: Tx,
  profileId: string,
  windows: readonly PaymentWindow[],
  taggedFirsts: readonly { customerId: string; since: Date }[],
): Promise<UnsettledPayment[]> {
  if (windows.length === 0 && taggedFirsts.length === 0) return [];
  const inWindow = (isGroup: ReturnType<typeof sql>) => sql`
    SELECT o.* FROM payments o WHERE o.profile_id = ${profileId} AND o.customer_id = w.id
      AND ${isGroup} AND o.paid_at BETWEEN w.low AND w.high`;
  const { rows } = await sql<OwnedPayment & FirstPaymentStatus & { openedAt: Date | null }>`
    SELECT DISTINCT ON (o.id) o.customer_id AS "customerId", o.id, o.paid_at AS "paidAt", o.subject_ref AS "subjectRef",
      o.is_installment AS "isInstallment", o.is_first_payment AS "isFirstPayment", o.purchase_id AS "purchaseId",
      opening.paid_at AS "openedAt"
    FROM (
      SELECT p.* FROM unnest(
        ${windows.map(({ customerId }) => customerId)}::uuid[], ${windows.map(({ subjectRef }) => subjectRef)}::text[],
        ${windows.map(({ from }) => from)}::timestamptz[], ${windows.map(({ to }) => to)}::timestamptz[]
      ) AS w (id, subject, low, high) CROSS JOIN LATERAL (
        (${inWindow(sql`w.subject IS NULL AND o.subject_ref IS NULL`)}) UNION ALL (${inWindow(sql`o.subject_ref = w.subject`)})) p
      UNION ALL
      SELECT p.* FROM unnest(
        ${taggedFirsts.map(({ customerId }) => customerId)}::uuid[], ${taggedFirsts.map(({ since }) => since)}::timestamptz[]
      ) AS w (id, low) CROSS JOIN LATERAL (
        SELECT o.* FROM payments o WHERE o.profile_id = ${profileId} AND o.customer_id = w.id AND o.is_first_payment
          AND o.subject_ref IS NOT NULL AND o.paid_at >= w.low) p
    ) o LEFT JOIN LATERAL (
      -- LIMIT 1 forces a lookup by key per row: as a plain join the planner may scan the table for a handful of
      -- payments.
      SELECT first.paid_at FROM payments first WHERE first.profile_id = o.profile_id AND first.id = o.purchase_id LIMIT 1
    ) opening ON true`.execute(tx);
  return rows.map(({ isFirstPayment, purchaseId, openedAt, ...payment }) => ({
    payment,
    was: { isFirstPayment, purchaseId },
    opening:
      purchaseId !== null && openedAt !== null
        ? { ...payment, id: purchaseId, paidAt: openedAt, isInstallment: false }
        : undefined,
  }));
}
