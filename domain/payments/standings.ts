import type { PaymentStandings } from '@tributary/domain/outcomes';
import { deriveFirstPayments } from './first-payments.ts';
import { placePayments } from './place-payments.ts';
import { recountRefunds, takeRefunds } from './refunds.ts';

/** What recording outcomes asks of this room. */
export const paymentStandings: PaymentStandings = {
  place: placePayments,
  derive: deriveFirstPayments,
  refund: takeRefunds,
  recount: async (tx, profileId, paymentIds, now) => {
    if (paymentIds.length > 0) await recountRefunds(tx, profileId, paymentIds, now);
  },
};
