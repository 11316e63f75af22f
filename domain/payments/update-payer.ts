import { setTimeout as pause } from 'node:timers/promises';
import type { Routes } from '@tributary/contract';
import { findCustomerBy, findSurvivors } from '@tributary/domain/customers';
import { isDirty } from '@tributary/domain/outcomes';
import { answer, type Handles, type ProfileContext, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { normaliseKey } from '@tributary/rules';
import { act, type Undo } from './act.ts';
import { changePayment } from './change-payment.ts';
import type { ShownPayment } from './show-payment.ts';

type Named = {
  readonly customer_key?: string | null | undefined;
  readonly customer_profile_id?: string | null | undefined;
};

export interface PaymentServices {
  /** How long whoever says who paid is kept waiting for attribution to follow. */
  readonly attributionWaitMs: number;
}

/** Says who paid, over whatever the provider says, or takes that back. */
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
      const payerId = await findNamed(tx, profileId, body);
      const undo = (before: ShownPayment) => undoOf(id, before);
      if (payerId === null) {
        if (!payment.isPayerAssigned) return undefined;
        const said = await whoIs(tx, profileId, payment.saidCustomerId);
        const change = { customerId: said, isPayerAssigned: false, saidCustomerId: null };
        await changePayment(tx, profileId, payment, change, 'its payer', now);
        return { action: 'payer_withdrawn', undo };
      }
      if (payment.isPayerAssigned && payment.customerId === payerId) return undefined;
      const saidCustomerId = payment.isPayerAssigned ? payment.saidCustomerId : payment.customerId;
      const change = { customerId: payerId, isPayerAssigned: true, saidCustomerId };
      await changePayment(tx, profileId, payment, change, 'its payer', now);
      return { action: 'payer_assigned', payerId, undo };
    },
    body.customer_key,
  );
  if (!isDryRun) await untilAttributed(id, context);
  return answer(200, { data: acted });
};

/** The customer that the request names; null where it names nobody, which takes an assignment back. */
async function findNamed(
  tx: Tx,
  profileId: string,
  { customer_key, customer_profile_id }: Named,
): Promise<string | null> {
  if (customer_profile_id) {
    const survivors = await findSurvivors(tx, profileId, [customer_profile_id]);
    return survivors.get(customer_profile_id) === customer_profile_id ? customer_profile_id : refuseStranger();
  }
  if (!customer_key) return null;
  const value = normaliseKey(customer_key);
  const found = value && (await findCustomerBy(tx, profileId, { kind: 'external_customer_id', value }));
  return found || refuseStranger();
}

const refuseStranger = (): never =>
  refuse('customer_not_in_profile', 'The body names nobody who is an active customer of this profile.');

/** Whom a customer has become since. */
async function whoIs(tx: Tx, profileId: string, customerId: string | null): Promise<string | null> {
  if (customerId === null) return null;
  return (await findSurvivors(tx, profileId, [customerId])).get(customerId) ?? null;
}

function undoOf(id: string, { payer, customer_key, customer_profile_id }: ShownPayment): Undo | null {
  const by = (body: Undo['body']) => ({ method: 'PUT', path: `/api/v1/payments/${id}/payer`, body });
  if (!payer) return by({ customer_key: null });
  if (customer_key) return by({ customer_key });
  return customer_profile_id ? by({ customer_profile_id }) : null;
}

const pollMs = 100;

/** The assignment is kept; whether all that shows it has caught up is asked for a moment, and then told. */
async function untilAttributed(
  paymentId: string,
  { ledger, caller: { profileId }, signal, attributionWaitMs }: ProfileContext & PaymentServices,
): Promise<void> {
  const isOpen = () => ledger.transaction((tx) => isDirty(tx, profileId, paymentId), { readOnly: true });
  for (let left = attributionWaitMs; await isOpen(); left -= pollMs) {
    if (left <= 0)
      refuse(
        'payment_assignment_incomplete',
        'The payer is kept; attribution is still at work on it. Send the same request again in a few seconds.',
      );
    await pause(pollMs, undefined, { signal });
  }
}
