import { setTimeout as pause } from 'node:timers/promises';
import type { Routes } from '@tributary/contract';
import { findCustomerBy, findSurvivors } from '@tributary/domain/commerce/customers';
import { isDirty } from '@tributary/domain/commerce/outcomes';
import { answer, type Handles, type ProfileContext, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { normaliseKey } from '@tributary/rules';
import { changePayment } from './change-payment.ts';
import type { PaymentResponse } from './payment-response.ts';
import { act, type Undo } from './run-payment-action.ts';

type PayerRequest = {
  readonly customer_key?: string | null | undefined;
  readonly customer_profile_id?: string | null | undefined;
};

export interface PaymentServices {
  /** How long the request waits for attribution to catch up before it returns 502. */
  readonly attributionWaitMs: number;
}

/** Assigns the payer of a payment, overriding the provider, or removes the assignment. */
export const updatePayer: Handles<Routes['updatePayer'], PaymentServices> = async (
  { params, query, body },
  context,
) => {
  const { payment_id: id } = params;
  const { caller, now } = context;
  const { profileId } = caller;
  const isDryRun = query.dry_run === 'true';
  const acted = await act(
    id,
    isDryRun,
    context,
    async (tx, payment) => {
      if (payment.isErased)
        refuse('invalid_state', 'Whoever made this payment was erased; it is of nobody for good.', {
          fields: { reason: 'payment_erased' },
        });
      const payerId = await findRequestedPayer(tx, profileId, body);
      const undo = (before: PaymentResponse) => buildUndo(id, before);
      if (payerId === null) {
        if (!payment.isPayerAssigned) return undefined;
        const reportedId = await findSurvivor(tx, profileId, payment.saidCustomerId);
        const change = { customerId: reportedId, isPayerAssigned: false, saidCustomerId: null };
        await changePayment(tx, profileId, payment, change, 'payer', now);
        return { action: 'payer_withdrawn', undo };
      }
      if (payment.isPayerAssigned && payment.customerId === payerId) return undefined;
      const reportedCustomerId = payment.isPayerAssigned ? payment.saidCustomerId : payment.customerId;
      const change = { customerId: payerId, isPayerAssigned: true, saidCustomerId: reportedCustomerId };
      await changePayment(tx, profileId, payment, change, 'payer', now);
      return { action: 'payer_assigned', payerId, undo };
    },
    body.customer_key,
  );
  if (!isDryRun) await untilAttributed(id, context);
  return answer(200, { data: acted });
};

/** The customer named by the request; null removes the assignment. */
async function findRequestedPayer(
  tx: Tx,
  profileId: string,
  { customer_key, customer_profile_id }: PayerRequest,
): Promise<string | null> {
  if (customer_profile_id) {
    const survivors = await findSurvivors(tx, profileId, [customer_profile_id]);
    return survivors.get(customer_profile_id) === customer_profile_id ? customer_profile_id : refuseUnknownPayer();
  }
  if (!customer_key) return null;
  const value = normaliseKey(customer_key);
  const found = value && (await findCustomerBy(tx, profileId, { kind: 'external_customer_id', value }));
  return found || refuseUnknownPayer();
}

const refuseUnknownPayer = (): never =>
  refuse('customer_not_in_profile', 'The body names nobody who is an active customer of this profile.');

/** The customer's survivor after merges; null if there is none. */
async function findSurvivor(tx: Tx, profileId: string, customerId: string | null): Promise<string | null> {
  if (customerId === null) return null;
  return (await findSurvivors(tx, profileId, [customerId])).get(customerId) ?? null;
}

function buildUndo(id: string, { payer, customer_key, customer_profile_id }: PaymentResponse): Undo | null {
  const by = (body: Undo['body']) => ({ method: 'PUT', path: `/api/v1/payments/${id}/payer`, body });
  if (!payer) return by({ customer_key: null });
  if (customer_key) return by({ customer_key });
  return customer_profile_id ? by({ customer_profile_id }) : null;
}

const pollMs = 100;

/** Waits until attribution has processed the stored assignment; refuses with 502 if it takes too long. */
async function untilAttributed(
  paymentId: string,
  { ledger, caller: { profileId }, signal, attributionWaitMs }: ProfileContext & PaymentServices,
): Promise<void> {
  const isPending = () => ledger.transaction((tx) => isDirty(tx, profileId, paymentId), { readOnly: true });
  for (let left = attributionWaitMs; await isPending(); left -= pollMs) {
    if (left <= 0)
      refuse(
        'payment_assignment_incomplete',
        'The payer is kept; attribution is still at work on it. Send the same request again in a few seconds.',
      );
    await pause(pollMs, undefined, { signal });
  }
}
