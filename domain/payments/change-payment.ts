import { findSurvivors, holdCustomers } from '@tributary/domain/customers';
import {
  type LedgerPayment,
  lockMoney,
  markDirty,
  markStandings,
  markTouchedCustomers,
  OutcomeRace,
  type OwnedPayment,
  saveMerchantSays,
  saveStandings,
} from '@tributary/domain/outcomes';
import type { Tx } from '@tributary/postgres';
import { deriveFirstPayments } from './first-payments.ts';
import { placePayments } from './place-payments.ts';

type Changed = Pick<LedgerPayment, 'customerId' | 'isPayerAssigned' | 'saidCustomerId' | 'isInstallment'>;

/**
 * Writes what a merchant says of a payment, and what follows for the standing of all payments of the customers concerned. These are
 * locked first, as whoever records payments does; where the payment went to somebody else meanwhile, all is taken from the start.
 */
export async function changePayment(
  tx: Tx,
  profileId: string,
  found: LedgerPayment,
  change: Partial<Changed>,
  what: 'its payer' | 'its standing',
  now: Date,
): Promise<void> {
  const after = { ...found, ...change };
  const customers = [found.customerId, after.customerId].flatMap((id) => id ?? []);
  await holdCustomers(tx, profileId, customers);
  const locked = (await lockMoney(tx, profileId, [found.id])).get(found.id);
  if (!locked || !isAsFound(locked, found) || !(await isStillThere(tx, profileId, found, after)))
    throw new OutcomeRace();
  const { standings, unclear } = await placePayments(tx, profileId, [
    { before: found.isFirstPayment === null ? undefined : ownedBy(found), after: ownedBy(after) },
  ]);
  await saveMerchantSays(tx, profileId, found.id, { ...after, standing: standings.get(found.id) ?? null }, now);
  const moved = [...standings].filter(([id]) => id !== found.id);
  await saveStandings(tx, profileId, moved);
  await deriveFirstPayments(tx, profileId, [...unclear]);
  // What brought the payment is a touch of whoever paid, and of their other conversions.
  if (found.isTouch && found.customerId !== after.customerId)
    await markTouchedCustomers(
      tx,
      profileId,
      customers.map((customerId) => ({ customerId, at: found.paidAt })),
    );
  if (what === 'its payer') await markDirty(tx, profileId, new Map([[found.id, ['payer']]]));
  else await markStandings(tx, profileId, [found.id]);
}

/** Whether somebody whom the payment goes to is neither merged nor erased by now. */
async function isStillThere(tx: Tx, profileId: string, before: LedgerPayment, { customerId }: LedgerPayment) {
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
