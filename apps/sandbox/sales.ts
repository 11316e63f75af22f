import { type Customer, households, type Market, type Outcome } from '@tributary/market';

/** An outcome of a market's customer, with the customer. */
export interface Sale {
  readonly outcome: Outcome;
  readonly customer: Customer;
}

/** All outcomes of customers that the shop knows, oldest first. */
export function salesOf(market: Market): readonly Sale[] {
  const sales: Sale[] = [];
  for (const { people } of households(market)) {
    for (const { customer, outcomes } of people) {
      if (customer) for (const outcome of outcomes) sales.push({ outcome, customer });
    }
  }
  return sales.sort((one, other) => one.outcome.at - other.outcome.at);
}
