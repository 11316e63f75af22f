import { blockCustomerWrites, findSurvivors } from '@tributary/domain/commerce/customers';
import {
  type LedgerPayment,
  lockMoney,
  markDirty,
  markStandings,
  markTouchedCustomers,
  OutcomeRace,
  type OwnedPayment,
  saveMerchantOverrides,
  saveStandings,
} from '@tributary/domain/commerce/outcomes';
import type { Tx } from '@tributary/postgres';
import { placePayments } from './derive-changed-payments.ts';
import { deriveFirstPayments } from './first-payments.ts';

type PaymentFields = Pick<LedgerPayment, 'customerId' | 'isPayerAssigned' | 'saidCustomerId' | 'isInstallment'>;

/**
 * Writes a merchant's change to a payment and updates the first-payment status of all payments of the affected
 * customers. Locks these customers first, in the same order as the recording of payments. Throws OutcomeRace, so that
 * the caller retries, if the payment or its new customer changed before the locks were held.
 */
export async function changePayment(
  tx: Tx,
  profileId: string,
  found: LedgerPayment,
  change: Partial<PaymentFields>,
  changed: 'payer' | 'installment',
  now: Date,
): Promise<void> {
  const after = { ...found, ...change };
  const customers = [found.customerId, after.customerId].flatMap((id) => id ?? []);
  await blockCustomerWrites(tx, profileId, customers);
  const locked = (await lockMoney(tx, profileId, [found.id])).get(found.id);
  if (!locked || !isAsFound(locked, found) || !(await isNewCustomerActive(tx, profileId, found, after)))
    throw new OutcomeRace();
  const { standings, unclear } = await placePayments(tx, profileId, [
    { before: found.isFirstPayment === null ? undefined : ownedBy(found), after: ownedBy(after) },
  ]);
  await saveMerchantOverrides(tx, profileId, found.id, { ...after, standing: standings.get(found.id) ?? null }, now);
  const moved = [...standings].filter(([id]) => id !== found.id);
  await saveStandings(tx, profileId, moved);
  await deriveFirstPayments(tx, profileId, [...unclear]);
  // A payment that is also a touch belongs to the payer's journey, so the credit of the payer's other conversions
  // changes too.
  if (found.isTouch && found.customerId !== after.customerId)
    await markTouchedCustomers(
      tx,
      profileId,
      customers.map((customerId) => ({ customerId, at: found.paidAt })),
    );
  if (changed === 'payer') await markDirty(tx, profileId, new Map([[found.id, ['payer']]]));
  else await markStandings(tx, profileId, [found.id]);
}

/** Whether the payment's new customer still exists: neither merged nor erased since it was read. */
async function isNewCustomerActive(tx: Tx, profileId: string, before: LedgerPayment, { customerId }: LedgerPayment) {
  if (customerId === null || customerId === before.customerId) return true;
  return (await findSurvivors(tx, profileId, [customerId])).get(customerId) === customerId;
}

const isAsFound = (locked: LedgerPayment, found: LedgerPayment): boolean =>
  locked.customerId === found.customerId &&
  locked.isPayerAssigned === found.isPayerAssigned &&
  locked.isInstallment === found.isInstallment &&
  locked.isFirstPayment === found.isFirstPayment &&
  locked.paidAt.getTime() === found.paidAt.getTime() &&
  locked.subjectRef === found.subjectRef;

const ownedBy = ({ customerId, id, paidAt, subjectRef, isInstallment }: LedgerPayment): OwnedPayment | undefined =>
  customerId === null ? undefined : { customerId, id, paidAt, subjectRef, isInstallment };
