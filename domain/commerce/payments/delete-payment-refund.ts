import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { lockRefunds } from './create-payment-refund.ts';
import { recountRefunds } from './refunds.ts';
import { act } from './run-payment-action.ts';

/** Removes the manual refund of a payment. */
export const deletePaymentRefund: Handles<Routes['deletePaymentRefund']> = async ({ params, query }, context) => {
  const { payment_id: id } = params;
  const { caller, now } = context;
  const acted = await act(id, query.dry_run === 'true', context, async (tx) => {
    const { manual } = await lockRefunds(tx, caller.profileId, id);
    if (manual === null) refuse('not_found', 'This payment has no refund that was recorded by hand.');
    return {
      action: 'refund_undone',
      settle: () => recountRefunds(tx, caller.profileId, [id], now),
      undo: () => ({ method: 'POST', path: `/api/v1/payments/${id}/refund`, body: { amount: manual } }),
    };
  });
  return answer(200, { data: { ...acted, deleted: acted.outcome === 'applied' } });
};
