import { type AnswerOf, OutcomeProvider, type Routes } from '@tributary/contract';
import { findCustomerKeys } from '@tributary/domain/commerce/customers';
import {
  findSaleMembers,
  type LedgerPayment,
  type LedgerRecord,
  listSaleRecords,
} from '@tributary/domain/commerce/outcomes';
import type { ProfileContext } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { lesser, moneyText, netAmount, reversalsOf } from '@tributary/rules';
import { readSaleRefunds } from './refunds.ts';

export type PaymentResponse = AnswerOf<Routes['listPayments']>['body']['data'][number];

/** Converts payments to API responses. The customer and the payer are included only if the caller may see them. */
export async function toPaymentResponses(
  tx: Tx,
  payments: readonly LedgerPayment[],
  { caller, showKey }: Pick<ProfileContext, 'caller' | 'showKey'>,
  requestedKey?: string | null,
): Promise<PaymentResponse[]> {
  const { profileId } = caller;
  const ids = payments.map(({ id }) => id);
  const refundsOf = await readSaleRefunds(tx, profileId, payments);
  const sales = await findSaleMembers(tx, profileId, ids);
  const records = new Map(
    (await listSaleRecords(tx, profileId, [...new Set([...sales.keys(), ...[...sales.values()].flat()])])).map(
      (one) => [one.id, one],
    ),
  );
  const keys = await findCustomerKeys(tx, profileId, [
    ...new Set(payments.flatMap(({ customerId }) => customerId ?? [])),
  ]);
  return payments.map((payment) => {
    const { id, amount, currency, customerId } = payment;
    const { reported, manual, entries } = refundsOf(payment);
    const { refund = null, payer = null } = entries ?? {};
    const { status } = reversalsOf(payment, reported, manual);
    const saleId = payment.duplicateOf ?? id;
    const key = showKey({
      of: customerId ?? id,
      profileId,
      key: customerId && keys.get(customerId),
      said: requestedKey,
      isListed: requestedKey === undefined,
    });
    return {
      id,
      provider: OutcomeProvider.safeParse(payment.source).data ?? 'manual',
      external_id: payment.externalId ?? payment.key,
      amount: moneyText(amount, currency),
      amount_refunded: moneyText(lesser(payment.refunded, amount), currency),
      net: moneyText(netAmount(amount, payment.refunded), currency),
      currency,
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
      counted: payment.uncounted === null,
      not_counted_because: payment.uncounted,
      sale_id: saleId,
      records: [saleId, ...(sales.get(saleId) ?? [])].flatMap((recordId) => {
        const record = records.get(recordId);
        return record ? [toRecordResponse(record, saleId)] : [];
      }),
      manual_refund:
        refund && manual !== null
          ? { amount: moneyText(refund.amount as string, currency), recorded_at: refund.at.toISOString() }
          : null,
    };
  });
}

/** Converts one record of a sale to its response. */
const toRecordResponse = ({ id, source, externalId, key, amount, currency, at }: LedgerRecord, saleId: string) => ({
  id,
  provider: OutcomeProvider.safeParse(source.split(':', 1)[0]).data ?? ('manual' as const),
  external_id: externalId ?? key,
  amount,
  currency,
  paid_at: at.toISOString(),
  counted: id === saleId,
});
