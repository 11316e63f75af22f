import type { Routes } from '@tributary/contract';
import { findPayment } from '@tributary/domain/commerce/outcomes';
import { answer, type Handles, refuse } from '@tributary/operations';
import { moneyText } from '@tributary/rules';
import { limits } from '@tributary/vocabulary';
import { type PaymentResponse, toPaymentResponses } from './payment-response.ts';
import { listEntries } from './refunds-store.ts';

/** Returns one payment with every entry that merchants made on it. */
export const readPayment: Handles<Routes['readPayment']> = async ({ params: { payment_id: id } }, context) => {
  const { caller, ledger } = context;
  return ledger.transaction(
    async (tx) => {
      const found = await findPayment(tx, caller.profileId, id);
      if (!found) refuse('not_found', 'There is no such payment in this profile.');
      const [shown] = (await toPaymentResponses(tx, [found], context)) as [PaymentResponse];
      const entries = await listEntries(tx, caller.profileId, id, limits.payments.entries);
      return answer(200, {
        data: {
          ...shown,
          entries: entries.map((entry) => ({
            id: entry.id,
            action: entry.action,
            at: entry.at.toISOString(),
            amount: entry.amount === null ? null : moneyText(entry.amount, found.currency),
            actor_kind: entry.actorKind,
            request_id: entry.requestId,
          })),
        },
      });
    },
    { readOnly: true },
  );
};
