import type { Routes } from '@tributary/contract';
import { type LedgerPayment, lockMoney, OutcomeRace } from '@tributary/domain/commerce/outcomes';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { compareAmounts, moneyText, parseAmount, reversalsOf, subtractAmounts } from '@tributary/rules';
import { readSaleRefunds, recountRefunds } from './refunds.ts';
import { act } from './run-payment-action.ts';

/** Records a manual refund. A payment has at most one, in addition to the refunds that the provider reports. */
export const createPaymentRefund: Handles<Routes['createPaymentRefund']> = async ({ params, query, body }, context) => {
  const { payment_id: id } = params;
  const { caller, now } = context;
  const acted = await act(id, query.dry_run === 'true', context, async (tx) => {
    const { payment, manual, reversed } = await lockRefunds(tx, caller.profileId, id);
    if (manual !== null)
      refuse('manual_refund_exists', 'This payment has a refund recorded by hand. Remove it first to record another.');
    const left = subtractAmounts(payment.amount, reversed);
    const amount = readAmount(body.amount, left);
    if (compareAmounts(amount, '0') <= 0 || compareAmounts(amount, left) > 0)
      refuse(
        'amount_invalid',
        `The amount must be above zero and at most ${moneyText(left, payment.currency)} ${payment.currency}.`,
      );
    return {
      action: 'refund_recorded',
      amount,
      settle: () => recountRefunds(tx, caller.profileId, [id], now),
      undo: () => ({ method: 'DELETE', path: `/api/v1/payments/${id}/refund`, body: null }),
    };
  });
  return answer(200, { data: acted });
};

function readAmount(sent: number | string | undefined, left: string): string {
  if (sent === undefined) return left;
  const parsed = parseAmount(sent);
  return parsed.ok ? parsed.amount : refuse('amount_invalid', 'The amount must be a number, or one written as text.');
}

/** Locks a payment and reads its manual refund and the total reversed. */
export async function lockRefunds(
  tx: Tx,
  profileId: string,
  id: string,
): Promise<{ payment: LedgerPayment; manual: string | null; reversed: string }> {
  const payment = (await lockMoney(tx, profileId, [id])).get(id);
  if (!payment) throw new OutcomeRace();
  const { reported, manual } = (await readSaleRefunds(tx, profileId, [payment]))(payment);
  const { reversed } = reversalsOf(payment, reported, manual);
  return { payment, manual, reversed };
}
