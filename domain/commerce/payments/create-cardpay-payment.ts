import type { Input, Routes } from '@tributary/contract';
import {
  type OutcomeServices,
  type RefundReport,
  readEvent,
  recordAll,
  retryOnConflict,
} from '@tributary/domain/commerce/outcomes';
import { answer, type Handles, type ProfileContext, refuse } from '@tributary/operations';
import { rolledBack, type Tx } from '@tributary/postgres';
import { compareAmounts, parseAmount } from '@tributary/rules';
import { findRefunds } from './refunds-store.ts';

type Body = Input<Routes['createCardpayPayment']>['body'];

/**
 * Records a payment of the card gateway. No connection reads this gateway, so clients report its payments through this
 * route.
 */
export const createCardpayPayment: Handles<Routes['createCardpayPayment'], OutcomeServices> = async (
  { query, body },
  context,
) => {
  const { caller, effect, ledger, now } = context;
  const key = `cardpay:${body.external_id}`;
  const read = readEvent(caller.profileId, toEvent(body, key), now, () => key);
  if ('code' in read) {
    const field = requestFields[read.field] ?? read.field;
    refuse(read.code, `The field "${field}" ${read.message}.`, { fields: { field } });
  }
  const payment = { ...read, provided: { externalId: body.external_id, outcomeType: 'payment_received' as const } };
  const isDryRun = query.dry_run === 'true';
  const work = async (tx: Tx) => {
    const refund = await toRefund(tx, caller.profileId, body, key);
    const [paymentResult, refundResult] = await recordAll(
      tx,
      refund ? [payment, { refund }] : [payment],
      recordContext(context),
    );
    if (!paymentResult || !('recorded' in paymentResult)) throw new TypeError('A payment was not recorded.');
    const { recorded } = paymentResult;
    if (recorded.customerId) context.mentions(recorded.customerId);
    const warnings = [
      ...paymentResult.warnings,
      ...(refundResult && 'warnings' in refundResult ? refundResult.warnings : []),
    ];
    return answer(202, {
      data: {
        id: recorded.outcomeId,
        status: recorded.status,
        dry_run: isDryRun,
        customer_key: context.showKey({
          of: recorded.customerId ?? recorded.outcomeId,
          profileId: caller.profileId,
          key: recorded.customerKey,
          said: body.user_traits.external_id,
        }),
        ...(warnings.length > 0 && { warnings }),
      },
    });
  };
  return retryOnConflict(() => (isDryRun ? rolledBack(ledger, work) : effect(work)));
};

const requestFields: Readonly<Record<string, string>> = {
  'properties.value': 'amount',
  'properties.currency': 'currency',
  'properties.subject_ref': 'subject_ref',
  occurred_at: 'paid_at',
};

function toEvent(body: Body, key: string): Parameters<typeof readEvent>[1] {
  const { external_id: _id, amount, currency, amount_refunded: _refunded, paid_at, subject_ref, ...rest } = body;
  return {
    ...rest,
    event_name: 'payment_received',
    idempotency_key: key,
    occurred_at: paid_at,
    properties: { value: amount, currency, subject_ref },
  };
}

const recordContext = (context: ProfileContext & OutcomeServices) => {
  const { caller, now, requestId, tombstones, payments, findAdPlatforms, visitors } = context;
  return {
    profileId: caller.profileId,
    now,
    evidence: { source: 'cardpay', saidAt: now, requestId },
    teller: { source: 'cardpay', connectionId: null } as const,
    tombstones,
    payments,
    findAdPlatforms,
    visitors,
  };
};

/**
 * The gateway reports the total refunded so far, which is stored as one refund. A later report may increase it; zero
 * withdraws a stored refund.
 */
async function toRefund(tx: Tx, profileId: string, body: Body, key: string): Promise<RefundReport | undefined> {
  if (body.amount_refunded === undefined) return undefined;
  const parsed = parseAmount(body.amount_refunded);
  if (!parsed.ok || parsed.amount.startsWith('-'))
    refuse('amount_invalid', 'What was given back must be a number of zero or more.');
  const refund = { idempotencyKey: key, paymentRef: key, kind: 'refund', currency: null, refundedAt: null } as const;
  if (compareAmounts(parsed.amount, '0') > 0) return { ...refund, status: 'completed', amount: parsed.amount };
  const [stored] = await findRefunds(tx, profileId, [key]);
  return stored && { ...refund, status: 'withdrawn', amount: stored.amount };
}
