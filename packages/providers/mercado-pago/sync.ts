import { dayMs, minuteMs } from '@tributary/vocabulary';
import { z } from 'zod';
import type { Call, Said, Sync } from '../provider.ts';
import type { MercadoPagoApi } from './api.ts';
import type { MercadoPagoCredentials } from './connect.ts';
import { Payment, Refunds, sayPayment } from './payments.ts';

/** Payments are read by when they last changed, a window of time after the other. */
export const MercadoPagoPosition = z.object({
  /** Where the next window begins. */
  from: z.string(),
  /** As long as the last ones had to be, so that none holds too many. */
  windowMs: z.number(),
});
export type MercadoPagoPosition = z.infer<typeof MercadoPagoPosition>;

const Page = z.object({ paging: z.object({ total: z.number() }), results: z.array(Payment) });

const rowsAPage = 100;
/** A window with more is cut in two. */
const mostRows = 500;
const shortestMs = minuteMs;
const longestMs = 30 * dayMs;
/** The search goes back a year. */
const historyMs = 365 * dayMs;
/** What the search does not show at once is read by the next sync. */
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
      if (head.paging.total > mostRows && windowMs > shortestMs) {
        windowMs = Math.max(shortestMs, Math.floor((until - from) / 2));
        continue;
      }
      const said: Said[] = [];
      for await (const payment of rest(head, from, until)) said.push(...(await say(payment)));
      from = until;
      if (head.paging.total < mostRows / 4) windowMs = Math.min(longestMs, windowMs * 2);
      const next = from < now ? from : now - overlapMs;
      const position = { from: new Date(next).toISOString(), windowMs };
      yield { said, position, progress: from >= now ? 1 : (from - first) / (now - first) };
    }

    /**
     * From the last page to the first. A payment that changes meanwhile leaves the window, and those behind it move up: who reads forwards
     * would miss as many, and who reads backwards has them already.
     */
    async function* rest(head: z.infer<typeof Page>, begin: number, end: number) {
      const pages = Math.ceil(head.paging.total / rowsAPage);
      for (let page = pages - 1; page >= 1; page -= 1) {
        yield* (await search(begin, end, page * rowsAPage)).results;
      }
      yield* pages > 1 ? (await search(begin, end, 0)).results : head.results;
    }

    async function search(begin: number, end: number, offset: number) {
      const range = { range: 'date_last_updated', begin_date: iso(begin), end_date: iso(end) };
      const order = { sort: 'date_last_updated', criteria: 'asc', limit: String(rowsAPage), offset: String(offset) };
      return api.get('/v1/payments/search', { ...range, ...order }, Page, accessToken, call);
    }

    async function say(payment: Payment): Promise<Said[]> {
      const isRefunded = Number(payment.transaction_amount_refunded ?? 0) > 0;
      const isToldHere = (payment.refunds?.length ?? 0) > 0;
      return sayPayment(payment, isRefunded && !isToldHere ? await refundsOf(payment, call) : (payment.refunds ?? []));
    }

    async function refundsOf({ id }: Payment, asked: Call) {
      return api.get(`/v1/payments/${encodeURIComponent(id)}/refunds`, {}, Refunds, accessToken, asked);
    }
  };

const iso = (at: number): string => new Date(at).toISOString();
