import { z } from 'zod';
import type { AccountTotals, BookedPayment } from '../account-totals.ts';
import { ProviderFault } from '../provider-fault.ts';
import { decimalText } from '../read-answer.ts';
import type { MercadoPagoApi } from './api.ts';
import type { MercadoPagoCredentials } from './connect.ts';

const Approved = z.object({
  id: z.union([z.number(), z.string()]).transform(String),
  status: z.string(),
  transaction_amount: decimalText,
  currency_id: z.string(),
  date_approved: z.string().nullish(),
});
const Page = z.object({ paging: z.object({ total: z.number() }), results: z.array(Approved) });
const wasPaid = ['approved', 'refunded', 'charged_back', 'in_mediation'];
const rowsPerPage = 100;

/** Payments by approval time, which never changes. The sync reads them by update time instead. */
export const createBooks = (api: MercadoPagoApi): AccountTotals<MercadoPagoCredentials> => ({
  async *payments({ credentials }, { from, until }, call) {
    // Both ends of a range are inclusive.
    const range = {
      range: 'date_approved',
      begin_date: from.toISOString(),
      end_date: new Date(until.getTime() - 1).toISOString(),
    };
    const order = { sort: 'date_approved', criteria: 'asc', limit: String(rowsPerPage) };
    for (let offset = 0; ; offset += rowsPerPage) {
      const params = { ...range, ...order, offset: String(offset) };
      const page = await api.get('/v1/payments/search', params, Page, credentials.accessToken, call);
      yield page.results.flatMap(booked);
      if (offset + rowsPerPage >= page.paging.total || page.results.length === 0) return;
    }
  },
  async payment({ credentials }, externalId, call) {
    try {
      const path = `/v1/payments/${encodeURIComponent(externalId)}`;
      return booked(await api.get(path, {}, Approved, credentials.accessToken, call))[0];
    } catch (error) {
      if (error instanceof ProviderFault && error.details.code === 'not_found') return undefined;
      throw error;
    }
  },
});

const booked = (row: z.infer<typeof Approved>): BookedPayment[] =>
  row.date_approved && wasPaid.includes(row.status)
    ? [
        {
          externalId: row.id,
          at: new Date(row.date_approved),
          amount: row.transaction_amount,
          currency: row.currency_id,
        },
      ]
    : [];
