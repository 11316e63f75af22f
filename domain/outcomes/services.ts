import type { CustomerServices } from '@tributary/domain/customers';
import type { PaymentStandings } from './payment-standings.ts';

export interface OutcomeServices extends CustomerServices {
  readonly payments: PaymentStandings;
}
