import { z } from 'zod';
import { addDays, dayIn, earlier } from '../days.ts';
import { createGoogleOAuth, type GoogleClient, GoogleCredentials } from '../google-oauth.ts';
import type { Account, Call, Provider, ProviderAnswer, ProviderRecord, SyncPage } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { count, dayText, decimalText, readJson } from '../read-answer.ts';
import { baseOf, requestJson, verdictOf } from '../request-json.ts';

export interface SearchConsoleSettings extends GoogleClient {
  /** https://www.googleapis.com */
  readonly apiUrl: string;
}

/** The days being read and the row reached. */
export type SearchConsolePosition =
  | {
      readonly stage: 'reading';
      readonly since: string;
      readonly last: string;
      readonly startRow: number;
      /** The start time of the reading; positions of older versions have none. */
      readonly reading?: string;
    }
  | { readonly stage: 'done'; readonly readUntil: string };

const scope = 'https://www.googleapis.com/auth/webmasters.readonly';
/** Search Console uses Californian days, wherever the site is. */
const timeZone = 'America/Los_Angeles';
const firstDays = 90;
/** Final data arrive two to three days late. */
const restatedDays = 5;
const windowDays = 7;
const rowsAtOnce = 25_000;
const minuteMs = 60_000;

const Sites = z.object({
  siteEntry: z.array(z.object({ siteUrl: z.string(), permissionLevel: z.string() })).default([]),
});
const unverified = ['siteUnverifiedUser', 'SITE_UNVERIFIED_USER'];
const Rows = z.object({
  rows: z
    .array(
      z.object({
        keys: z.tuple([dayText, z.string(), z.string()]),
        clicks: count,
        impressions: count,
        position: decimalText.pipe(z.string().regex(/^\d{1,9}(\.\d{1,30})?$/)),
      }),
    )
    .default([]),
});

export function createSearchConsole(
  settings: SearchConsoleSettings,
): Provider<GoogleCredentials, SearchConsolePosition> {
  const base = `${baseOf(settings.apiUrl)}/webmasters/v3/sites`;
  const headersFor = ({ accessToken }: GoogleCredentials) => ({
    authorization: `Bearer ${accessToken}`,
    'content-type': 'application/json',
  });

  async function* sync(
    account: Account<GoogleCredentials>,
    from: SearchConsolePosition | null,
    call: Call,
  ): AsyncGenerator<SyncPage<SearchConsolePosition>> {
    let position = from?.stage === 'reading' ? from : begin(from, call.now);
    while (position.stage === 'reading') {
      const { since, last, startRow, reading = '' } = position;
      const until = earlier(addDays(since, windowDays - 1), last);
      const body = JSON.stringify({
        startDate: since,
        endDate: until,
        dimensions: ['date', 'query', 'page'],
        type: 'web',
        dataState: 'final',
        rowLimit: rowsAtOnce,
        startRow,
      });
      const url = `${base}/${encodeURIComponent(account.externalId)}/searchAnalytics/query`;
      const request = { method: 'POST', url, headers: headersFor(account.credentials), body } as const;
      const { rows } = (await requestJson(request, Rows, call, faultOf)).body;
      const hasMore = rows.length === rowsAtOnce;
      const next = addDays(until, 1);
      position = hasMore
        ? { stage: 'reading', since, last, startRow: startRow + rows.length, reading }
        : next > last
          ? { stage: 'done', readUntil: last }
          : { stage: 'reading', since: next, last, startRow: 0, reading };
      const records = rows.map(
        ({ keys: [day, query, page], clicks, impressions, position: place }): ProviderRecord => ({
          kind: 'search_term',
          reading,
          day,
          query,
          page,
          clicks,
          impressions,
          position: place,
        }),
      );
      if (!hasMore && reading) records.push({ kind: 'search_days', since, until, reading });
      yield { position, records: records };
    }
  }

  return {
    facts: { channel: 'search_console', name: 'Google Search Console' },
    credentials: GoogleCredentials,
    connect: {
      ...createGoogleOAuth(settings, [scope]),
      async candidates(credentials, call) {
        if (!credentials.granted.includes(scope)) return [];
        const request = { method: 'GET', url: base, headers: headersFor(credentials) } as const;
        const { siteEntry } = (await requestJson(request, Sites, call, faultOf)).body;
        return siteEntry
          .filter(({ permissionLevel }) => !unverified.includes(permissionLevel))
          .map(({ siteUrl }) => ({
            externalId: siteUrl,
            name: siteUrl.replace(/^sc-domain:/, ''),
            granted: credentials.granted,
            details: { timeZone },
          }));
      },
    },
    sync,
  };
}

function begin(from: SearchConsolePosition | null, now: Date): SearchConsolePosition {
  const last = dayIn(timeZone, now);
  const since = from?.stage === 'done' ? addDays(from.readUntil, 1 - restatedDays) : addDays(last, 1 - firstDays);
  return { stage: 'reading', since: earlier(since, last), last, startRow: 0, reading: now.toISOString() };
}

const Refused = z.object({
  error: z.object({
    message: z.string().default(''),
    errors: z.array(z.object({ reason: z.string() })).default([]),
  }),
});
const throttles: Readonly<Record<string, number>> = {
  rateLimitExceeded: minuteMs,
  userRateLimitExceeded: minuteMs,
  quotaExceeded: 15 * minuteMs,
  dailyLimitExceeded: 24 * 60 * minuteMs,
};

/** Throttling is a 403, like a missing permission; only the reason differs. */
function faultOf({ status, text }: ProviderAnswer): ProviderFault {
  const read = Refused.safeParse(readJson(text));
  const reason = read.data?.error.errors[0]?.reason ?? `http_${status}`;
  const says = read.data?.error.message || 'Search Console refused.';
  const retryAfterMs = throttles[reason] ?? (status === 429 ? minuteMs : undefined);
  if (retryAfterMs === undefined) return new ProviderFault({ verdict: verdictOf(status), code: reason, says });
  const reach = reason === 'dailyLimitExceeded' ? 'app' : 'connection';
  return new ProviderFault({ verdict: 'wait', code: reason, says, retryAfterMs, reach });
}
