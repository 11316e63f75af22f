import { z } from 'zod';
import type { AccountTotals } from '../account-totals.ts';
import { addDays, earlier } from '../days.ts';
import { dayText, decimalText } from '../read-answer.ts';
import type { MetaCredentials } from './credentials.ts';
import type { Graph } from './graph.ts';

const Day = z.object({ date_start: dayText, account_currency: z.string(), spend: decimalText });
/** The most days that Meta returns without an asynchronous report. */
const windowDays = 90;

/** The spend of the whole account, including deleted ads; the sync reads it per ad. */
export const createBooks = (graph: Graph): AccountTotals<MetaCredentials> => ({
  async spend({ externalId, credentials }, { since, until }, call) {
    const days: z.infer<typeof Day>[] = [];
    for (let first = since; first <= until; first = addDays(first, windowDays)) {
      const params = {
        level: 'account',
        time_increment: '1',
        time_range: JSON.stringify({ since: first, until: earlier(addDays(first, windowDays - 1), until) }),
        fields: 'date_start,account_currency,spend',
      };
      days.push(...(await graph.all(Day, `${externalId}/insights`, params, credentials.accessToken, call)));
    }
    return days.map(({ date_start: day, spend: amount, account_currency: currency }) => ({ day, amount, currency }));
  },
});
