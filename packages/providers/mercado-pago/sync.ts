import { dayMs, minuteMs } from '@tributary/vocabulary';
import { z } from 'zod';
import type { Call, ProviderRecord, Sync } from '../provider.ts';
import type { MercadoPagoApi } from './api.ts';
import type { MercadoPagoCredentials } from './connect.ts';
import { Payment, parsePayment, Refunds } from './payments.ts';

/** Payments are read by update time, one time window after the other. */
export const MercadoPagoPosition = z.object({
  /** The start of the next window. */
  from: z.string(),
  /** The length of the last windows, chosen so that none holds too many payments. */
  windowMs: z.number(),
});
export type MercadoPagoPosition = z.infer<typeof MercadoPagoPosition>;

const Page = z.object({ paging: z.object({ total: z.number() }), results: z.array(Payment) });

const rowsPerPage = 100;
/** A window with more payments is halved. */
const maxRows = 500;
const shortestMs = minuteMs;
const longestMs = 30 * dayMs;
/** The search covers one year. */
const historyMs = 365 * dayMs;
/** Payments that the search does not show at once are read by the next sync. */
const overlapMs = 10 * minuteMs;

export const createSync = (api: MercadoPagoApi): Sync<MercadoPagoCredentials, MercadoPagoPosition> =>
  async function* sync({ credentials: { accessToken } }, before, call) {
    const now = call.now.getTime();
    const first = before === null ? now - historyMs : Math.max(now - historyMs, Date.parse(before.from));
    let from = first;
    let windowMs = before?.windowMs ?? longestMs;
    while (from < now) {
      const until = Math.min(now, from + windowMs);
      const head = await search(from, until, 0);
      if (head.paging.total > maxRows && windowMs > shortestMs) {
        windowMs = Math.max(shortestMs, Math.floor((until - from) / 2));
        continue;
      }
      const records: ProviderRecord[] = [];
      for await (const payment of readWindow(head, from, until)) records.push(...(await parse(payment)));
      from = until;
      if (head.paging.total < maxRows / 4) windowMs = Math.min(longestMs, windowMs * 2);
      const next = from < now ? from : now - overlapMs;
      const position = { from: new Date(next).toISOString(), windowMs };
      yield { records: records, position, progress: from >= now ? 1 : (from - first) / (now - first) };
    }

    /**
     * Reads from the last page to the first. A payment that changes during the read leaves the window, and later ones move up.
     * Reading forwards would miss one for each; reading backwards has already seen them.
     */
    async function* readWindow(head: z.infer<typeof Page>, begin: number, end: number) {
      const pages = Math.ceil(head.paging.total / rowsPerPage);
      for (let page = pages - 1; page >= 1; page -= 1) {
        yield* (await search(begin, end, page * rowsPerPage)).results;
      }
      yield* pages > 1 ? (await search(begin, end, 0)).results : head.results;
    }

    async function search(begin: number, end: number, offset: number) {
      const range = { range: 'date_last_updated', begin_date: iso(begin), end_date: iso(end) };
      const order = { sort: 'date_last_updated', criteria: 'asc', limit: String(rowsPerPage), offset: String(offset) };
      return api.get('/v1/payments/search', { ...range, ...order }, Page, accessToken, call);
    }

    async function parse(payment: Payment): Promise<ProviderRecord[]> {
      const isRefunded = Number(payment.transaction_amount_refunded ?? 0) > 0;
      const hasRefunds = (payment.refunds?.length ?? 0) > 0;
      return parsePayment(
        payment,
        isRefunded && !hasRefunds ? await refundsOf(payment, call) : (payment.refunds ?? []),
      );
    }

    async function refundsOf({ id }: Payment, context: Call) {
      return api.get(`/v1/payments/${encodeURIComponent(id)}/refunds`, {}, Refunds, accessToken, context);
    }
  };

const iso = (at: number): string => new Date(at).toISOString();
