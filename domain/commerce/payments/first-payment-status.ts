import type { FirstPaymentService } from '@tributary/domain/commerce/outcomes';
import { placePayments } from './derive-changed-payments.ts';
import { deriveFirstPayments } from './first-payments.ts';
import { recordRefunds, recountRefunds } from './refunds.ts';

/** Implements `PaymentStandings`, the interface through which the outcomes module uses this one. */
export const paymentStandings: FirstPaymentService = {
  place: placePayments,
  derive: deriveFirstPayments,
  refund: recordRefunds,
  recount: async (tx, profileId, paymentIds, now) => {
    if (paymentIds.length > 0) await recountRefunds(tx, profileId, paymentIds, now);
  },
};
