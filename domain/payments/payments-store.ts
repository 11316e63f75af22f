import type { OwnedPayment } from '@tributary/domain/outcomes';
import type { Tx } from '@tributary/postgres';
import type { PaymentStanding } from '@tributary/rules';
import { sql } from 'kysely';

/**
 * The view `payments` is of outcomes that carry a standing. One that a changed definition has just made a payment carries none yet;
 * its customer is dirty, and is derived as a whole.
 */
const columns = sql.raw(
  'customer_id AS "customerId", id, paid_at AS "paidAt", subject_ref AS "subjectRef", is_installment AS "isInstallment"',
);

/** The earliest untagged, the earliest tagged, and the earliest of each subject that is named, of each customer, but for `except`. */
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
  // Ranges of one value, with that value in the order: equal signs would drop it there, and then the planner, where it guesses
  // wrongly how many are tagged, takes the index of all outcomes by time and reads a customer from end to end.
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
  readonly was: PaymentStanding;
  /** The earliest payment of its purchase, where it has one. */
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
  const { rows } = await sql<OwnedPayment & PaymentStanding & { openedAt: Date | null }>`
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
      -- One by one, by the key: joined as a table it may be read from end to end for a handful of payments.
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
