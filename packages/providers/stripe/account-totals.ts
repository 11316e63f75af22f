import { z } from 'zod';
import type { AccountTotals, BookedPayment } from '../account-totals.ts';
import { ProviderFault } from '../provider-fault.ts';
import type { Params, StripeApi } from './api.ts';
import type { StripeCredentials } from './connect.ts';
import { fromStripeUnits } from './money.ts';

const Paid = z.object({
  id: z.string(),
  amount_captured: z.number(),
  currency: z.string(),
  created: z.number(),
  paid: z.boolean(),
  captured: z.boolean(),
});
/** A movement of the account's balance. Its amount is in the payout currency; the charged amount is in the source charge. */
const Movement = z.object({ id: z.string(), type: z.string(), source: z.unknown() });
const Page = z.object({ data: z.array(Movement), has_more: z.boolean() });

/** Charges by card, and payments by other means. */
const incoming = ['charge', 'payment'];

/** Stripe's own record of balance movements; the sync reads charges and events instead. */
export const createBooks = (api: StripeApi): AccountTotals<StripeCredentials> => ({
  async *payments({ credentials }, { from, until }, call) {
    let after: Params = [];
    for (let hasMore = true; hasMore; ) {
      const params: Params = [
        ['limit', '100'],
        ['created[gte]', seconds(from)],
        ['created[lt]', seconds(until)],
        ['expand[]', 'data.source'],
        ...after,
      ];
      const page = await api.get('/v1/balance_transactions', params, Page, credentials.accessToken, call);
      yield page.data.filter(({ type }) => incoming.includes(type)).flatMap(({ source }) => booked(Paid.parse(source)));
      const last = page.data.at(-1);
      hasMore = page.has_more && last !== undefined;
      after = last ? [['starting_after', last.id]] : [];
    }
  },
  async payment({ credentials }, externalId, call) {
    try {
      const path = `/v1/charges/${encodeURIComponent(externalId)}`;
      return booked(await api.get(path, [], Paid, credentials.accessToken, call))[0];
    } catch (error) {
      if (error instanceof ProviderFault && error.details.code === 'resource_missing') return undefined;
      throw error;
    }
  },
});

const booked = ({ id, amount_captured, currency, created, paid, captured }: z.infer<typeof Paid>): BookedPayment[] =>
  paid && captured
    ? [
        {
          externalId: id,
          at: new Date(created * 1000),
          amount: fromStripeUnits(amount_captured, currency),
          currency: currency.toUpperCase(),
        },
      ]
    : [];

const seconds = (at: Date): string => String(Math.floor(at.getTime() / 1000));
