import { z } from 'zod';
import { addDays, dayIn, earlier } from '../days.ts';
import { readOAuthCallback } from '../oauth-token.ts';
import type { Account, Call, Provider, ProviderAnswer, ProviderRecord, SyncPage } from '../provider.ts';
import { ProviderFault, type Verdict } from '../provider-fault.ts';
import { count, decimalText, omitUndefined, readAs } from '../read-answer.ts';
import { baseOf, requestJson, verdictOf } from '../request-json.ts';
import { createBooks } from './account-totals.ts';

/** The example of docs/guides/add-a-provider.md: another ad platform, read only. */
export interface TikTokSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** https://business-api.tiktok.com */
  readonly apiUrl: string;
}

const Credentials = z.object({ accessToken: z.string(), granted: z.array(z.string()) });
type Credentials = z.infer<typeof Credentials>;

export type TikTokPosition =
  | { readonly stage: Level; readonly page: number }
  | { readonly stage: 'days'; readonly since: string; readonly last: string; readonly page: number }
  | { readonly stage: 'done' };

type Reading = Exclude<TikTokPosition, { stage: 'done' }>;
type TikTokAccount = Account<Credentials>;

const firstDays = 90;
/** A report by day covers at most this many days. */
const windowDays = 30;
const rowsPerPage = 1_000;

/** Every response has HTTP status 200; the code indicates success or failure. */
const Envelope = z.object({ code: z.number(), message: z.string().default(''), data: z.unknown() });
const page = <T extends z.ZodType>(row: T) =>
  z.object({ list: z.array(row).default([]), page_info: z.object({ total_page: z.number() }).optional() });
const Token = z.object({ access_token: z.string(), scope: z.array(z.union([z.string(), z.number()])).default([]) });
const Advertisers = z.object({ list: z.array(z.object({ advertiser_id: z.string(), advertiser_name: z.string() })) });
const Information = z.object({
  list: z.array(z.object({ advertiser_id: z.string(), currency: z.string(), timezone: z.string() })),
});
const Entity = z.object({
  campaign_id: z.string(),
  campaign_name: z.string().optional(),
  adgroup_id: z.string().optional(),
  adgroup_name: z.string().optional(),
  ad_id: z.string().optional(),
  ad_name: z.string().optional(),
  objective_type: z.string().optional(),
  operation_status: z.string().optional(),
  budget_mode: z.string().optional(),
  budget: decimalText.optional(),
});
const Day = z.object({
  dimensions: z.object({ ad_id: z.string(), stat_time_day: z.string() }),
  metrics: z.object({
    spend: decimalText,
    impressions: count,
    clicks: count,
    reach: count.optional(),
    conversion: decimalText.optional(),
    campaign_id: z.string().optional(),
    adgroup_id: z.string().optional(),
  }),
});

const levels = ['campaign', 'adgroup', 'ad'] as const;
type Level = (typeof levels)[number];
const entityLevels = { campaign: 'campaign', adgroup: 'ad_set', ad: 'ad' } as const satisfies Record<Level, string>;
const statuses: Readonly<Record<string, string>> = { ENABLE: 'ACTIVE', DISABLE: 'PAUSED', DELETE: 'DELETED' };

type RequestOptions = { readonly token?: string; readonly query?: object; readonly body?: object };
const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

export function createTikTok(settings: TikTokSettings): Provider<Credentials, TikTokPosition> {
  const base = `${baseOf(settings.apiUrl)}/open_api/v1.3`;
  const app = { app_id: settings.clientId, secret: settings.clientSecret };

  async function request<T>(path: string, schema: z.ZodType<T>, options: RequestOptions, call: Call) {
    const texts = Object.entries(options.query ?? {}).map(([name, value]) => [name, asText(value)]);
    const url = `${base}${path}?${new URLSearchParams(Object.fromEntries(texts))}`;
    const headers = { 'content-type': 'application/json', 'access-token': options.token ?? '' };
    const request = options.body
      ? ({ method: 'POST', url, headers, body: JSON.stringify(options.body) } as const)
      : ({ method: 'GET', url, headers } as const);
    const { code, message, data } = (await requestJson(request, Envelope, call, faultOf)).body;
    if (code !== 0) throw new ProviderFault({ verdict: verdictOfCode(code), code: String(code), says: message });
    return readAs(schema, data, path);
  }

  async function readPage({ externalId, credentials, details }: TikTokAccount, at: Reading, call: Call) {
    const token = credentials.accessToken;
    const currency = details.currency ?? '';
    const paged = { advertiser_id: externalId, page: at.page, page_size: rowsPerPage };
    if (at.stage !== 'days') {
      const { stage } = at;
      const { list, page_info } = await request(`/${stage}/get/`, page(Entity), { token, query: paged }, call);
      const hasMore = at.page < (page_info?.total_page ?? 1);
      const next = levels[levels.indexOf(stage) + 1];
      const last = dayIn(details.timeZone ?? 'UTC', call.now);
      const days: TikTokPosition = { stage: 'days', since: addDays(last, 1 - firstDays), last, page: 1 };
      const position: TikTokPosition = hasMore ? { stage, page: at.page + 1 } : next ? { stage: next, page: 1 } : days;
      return { records: list.map((row) => parseEntity(stage, row, currency)), position };
    }
    const until = earlier(addDays(at.since, windowDays - 1), at.last);
    const query = {
      ...paged,
      report_type: 'BASIC',
      data_level: 'AUCTION_AD',
      dimensions: ['ad_id', 'stat_time_day'],
      metrics: ['spend', 'impressions', 'clicks', 'reach', 'conversion', 'campaign_id', 'adgroup_id'],
      start_date: at.since,
      end_date: until,
    };
    const { list, page_info } = await request('/report/integrated/get/', page(Day), { token, query }, call);
    const hasMore = at.page < (page_info?.total_page ?? 1);
    const next = addDays(until, 1);
    const position: TikTokPosition = hasMore
      ? { ...at, page: at.page + 1 }
      : next > at.last
        ? { stage: 'done' }
        : { ...at, since: next, page: 1 };
    return { records: list.map((row) => parseDay(row, currency)), position };
  }

  return {
    facts: { channel: 'social_ads', name: 'TikTok Ads' },
    credentials: Credentials,
    books: createBooks(request),
    connect: {
      usesPkce: false,
      authorizeUrl({ redirectUri, state }) {
        const query = new URLSearchParams({ app_id: settings.clientId, state, redirect_uri: redirectUri });
        return `${baseOf(settings.apiUrl)}/portal/auth?${query}`;
      },
      readCallback: ({ auth_code: code, ...query }) =>
        readOAuthCallback(code === undefined ? query : { ...query, code }),
      async exchange({ code }, call) {
        const token = await request('/oauth2/access_token/', Token, { body: { ...app, auth_code: code } }, call);
        return { accessToken: token.access_token, granted: token.scope.map(String) };
      },
      async candidates({ accessToken: token, granted }, call) {
        const { list } = await request('/oauth2/advertiser/get/', Advertisers, { token, query: app }, call);
        if (list.length === 0) return [];
        const ids = list.map((one) => one.advertiser_id);
        const query = { advertiser_ids: ids };
        const information = await request('/advertiser/info/', Information, { token, query }, call);
        return list.map(({ advertiser_id: externalId, advertiser_name: name }) => {
          const info = information.list.find((one) => one.advertiser_id === externalId);
          const details = info ? { currency: info.currency, timeZone: info.timezone } : {};
          return { externalId, name, granted, details };
        });
      },
    },
    async *sync(account, from, call): AsyncGenerator<SyncPage<TikTokPosition>> {
      let position: TikTokPosition = from === null || from.stage === 'done' ? { stage: 'campaign', page: 1 } : from;
      while (position.stage !== 'done') {
        const read: SyncPage<TikTokPosition> = await readPage(account, position, call);
        yield read;
        position = read.position;
      }
    },
  };
}

function parseEntity(level: Level, row: z.infer<typeof Entity>, currency: string): ProviderRecord {
  return {
    kind: 'entity',
    level: entityLevels[level],
    externalId: row[`${level}_id`] ?? '',
    currency,
    ...omitUndefined({
      campaignId: level === 'campaign' ? undefined : row.campaign_id,
      adSetId: level === 'ad' ? row.adgroup_id : undefined,
      name: row[`${level}_name`],
      objective: row.objective_type,
      status: statuses[row.operation_status ?? ''] ?? row.operation_status,
      dailyBudget: row.budget_mode === 'BUDGET_MODE_DAY' ? row.budget : undefined,
    }),
  };
}

function parseDay({ dimensions, metrics }: z.infer<typeof Day>, currency: string): ProviderRecord {
  const { spend, impressions, clicks, conversion: conversions, reach, campaign_id, adgroup_id } = metrics;
  const [externalId, day] = [dimensions.ad_id, dimensions.stat_time_day.slice(0, 10)];
  const optionalFields = omitUndefined({ campaignId: campaign_id, adSetId: adgroup_id, conversions, reach });
  return { kind: 'delivery', level: 'ad', externalId, day, currency, spend, impressions, clicks, ...optionalFields };
}

function verdictOfCode(code: number): Verdict {
  if (code === 40105) return 'reconnect';
  if (code === 40001) return 'needs_action';
  return code === 40100 || code >= 50_000 ? 'wait' : 'refused';
}

const faultOf = ({ status }: ProviderAnswer): ProviderFault =>
  new ProviderFault({ verdict: verdictOf(status), code: `http_${status}`, says: 'TikTok gave no answer of its own.' });
