import { z } from 'zod';
import type { AccountTotals } from '../account-totals.ts';
import { addDays, earlier } from '../days.ts';
import type { Account, Call } from '../provider.ts';
import { decimalText } from '../read-answer.ts';

const Page = z.object({
  list: z
    .array(z.object({ dimensions: z.object({ stat_time_day: z.string() }), metrics: z.object({ spend: decimalText }) }))
    .default([]),
});
/** A report by day covers at most this many days. */
const windowDays = 30;

type Request = <T>(
  path: string,
  schema: z.ZodType<T>,
  how: { readonly token: string; readonly query: object },
  call: Call,
) => Promise<T>;

/** The spend of the whole advertiser; the sync reads it per ad. */
export const createBooks = <Credentials extends { readonly accessToken: string }>(
  request: Request,
): AccountTotals<Credentials> => ({
  async spend({ externalId, credentials, details }: Account<Credentials>, days, call) {
    const rows: z.infer<typeof Page>['list'] = [];
    for (let since = days.since; since <= days.until; since = addDays(since, windowDays)) {
      const query = {
        advertiser_id: externalId,
        report_type: 'BASIC',
        data_level: 'AUCTION_ADVERTISER',
        dimensions: ['advertiser_id', 'stat_time_day'],
        metrics: ['spend'],
        start_date: since,
        end_date: earlier(addDays(since, windowDays - 1), days.until),
        page: 1,
        page_size: 1_000,
      };
      rows.push(
        ...(await request('/report/integrated/get/', Page, { token: credentials.accessToken, query }, call)).list,
      );
    }
    const currency = details.currency ?? '';
    return rows.map(({ dimensions, metrics }) => ({
      day: dimensions.stat_time_day.slice(0, 10),
      amount: metrics.spend,
      currency,
    }));
  },
});
