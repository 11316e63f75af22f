import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { changePayment } from './change-payment.ts';
import { act } from './run-payment-action.ts';

/** Marks a payment as a later installment of an earlier purchase, or removes the mark. */
export const updateInstallment: Handles<Routes['updateInstallment']> = async ({ params, query, body }, context) => {
  const { payment_id: id } = params;
  const { is_installment: isInstallment } = body;
  const acted = await act(id, query.dry_run === 'true', context, async (tx, payment) => {
    if (payment.isInstallment === isInstallment) return undefined;
    await changePayment(tx, context.caller.profileId, payment, { isInstallment }, 'installment', context.now);
    return {
      action: isInstallment ? 'installment_marked' : 'installment_unmarked',
      undo: () => ({
        method: 'PUT',
        path: `/api/v1/payments/${id}/installment`,
        body: { is_installment: !isInstallment },
      }),
    };
  });
  return answer(200, { data: acted });
};
