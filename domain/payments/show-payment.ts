import { type AnswerOf, OutcomeProvider, type Routes } from '@tributary/contract';
import { findCustomerKeys } from '@tributary/domain/customers';
import type { LedgerPayment } from '@tributary/domain/outcomes';
import type { ProfileContext } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { lesser, netOf, reversalsOf } from '@tributary/rules';
import { manualOf } from './refunds.ts';
import { findRefundsOf, findStandingEntries } from './refunds-store.ts';

export type ShownPayment = AnswerOf<Routes['listPayments']>['body']['data'][number];

/** Payments as they are answered. What they are of and who paid is shown to whoever may see it. */
export async function showPayments(
  tx: Tx,
  payments: readonly LedgerPayment[],
  { caller, showKey }: Pick<ProfileContext, 'caller' | 'showKey'>,
  said?: string | null,
): Promise<ShownPayment[]> {
  const { profileId } = caller;
  const ids = payments.map(({ id }) => id);
  const refunds = await findRefundsOf(tx, profileId, ids);
  const entries = await findStandingEntries(tx, profileId, ids);
  const keys = await findCustomerKeys(tx, profileId, [
    ...new Set(payments.flatMap(({ customerId }) => customerId ?? [])),
  ]);
  return payments.map((payment) => {
    const { id, amount, customerId } = payment;
    const { refund = null, payer = null } = entries.get(id) ?? {};
    const { status } = reversalsOf(payment, refunds.get(id) ?? [], manualOf(payment, refund));
    const key = showKey({
      of: customerId ?? id,
      profileId,
      key: customerId && keys.get(customerId),
      said,
      isListed: said === undefined,
    });
    return {
      id,
      provider: OutcomeProvider.safeParse(payment.source).data ?? 'manual',
      external_id: payment.externalId ?? payment.key,
      amount,
      amount_refunded: lesser(payment.refunded, amount),
      net: netOf(amount, payment.refunded),
      currency: payment.currency,
      reporting_net: payment.reportingAmount,
      reporting_currency: payment.reportingCurrency,
      rate: payment.rate,
      rate_date: payment.rateDate,
      status,
      paid_at: payment.paidAt.toISOString(),
      customer_key: key,
      customer_profile_id: caller.scopes.has('customers:read') ? customerId : null,
      payer: payer && payment.isPayerAssigned ? { assigned_at: payer.at.toISOString(), customer_key: key } : null,
      is_first_payment: payment.isFirstPayment,
      is_installment: payment.isInstallment,
      manual_refund:
        refund && manualOf(payment, refund) !== null
          ? { amount: refund.amount as string, recorded_at: refund.at.toISOString() }
          : null,
    };
  });
}
