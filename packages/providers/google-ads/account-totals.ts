import { z } from 'zod';
import type { AccountTotals } from '../account-totals.ts';
import type { GoogleCredentials } from '../google-oauth.ts';
import { dayText, wholeText } from '../read-answer.ts';
import { type AdsApi, customerOf } from './api.ts';
import { fromMicros } from './money.ts';

const Row = z.object({
  segments: z.object({ date: dayText }),
  metrics: z.object({ costMicros: wholeText.default('0') }),
});

/** The spend of the whole account; the sync reads it per ad. */
export const createBooks = (api: AdsApi): AccountTotals<GoogleCredentials> => ({
  async spend(account, { since, until }, call) {
    const query = `SELECT segments.date, metrics.cost_micros FROM customer WHERE segments.date BETWEEN '${since}' AND '${until}'`;
    const rows = await api.all(Row, customerOf(account), query, account.credentials.accessToken, call);
    const currency = account.details.currency ?? '';
    return rows.map(({ segments, metrics }) => ({
      day: segments.date,
      amount: fromMicros(metrics.costMicros),
      currency,
    }));
  },
});
