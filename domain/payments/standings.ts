import type { PaymentStandings } from '@tributary/domain/outcomes';
import { deriveFirstPayments } from './first-payments.ts';
import { placePayments } from './place-payments.ts';

/** What recording outcomes asks of this room. */
export const paymentStandings: PaymentStandings = {
  place: placePayments,
  derive: deriveFirstPayments,
};
