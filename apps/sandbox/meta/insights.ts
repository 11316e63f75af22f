import type { DeliveryRow } from '@tributary/market';
import { fromMinorUnits, toMinorUnits } from '@tributary/rules';
import { dayMs } from '@tributary/vocabulary';
import type { CompanyDeps } from '../company.ts';
import { restatedSpend } from '../restated.ts';
import { json, type Reply, type Route, type SandboxRequest } from '../route.ts';
import { sharedBy, withAccount } from './accounts.ts';
import { metaError, pageOf, paramsOf, withToken } from './envelope.ts';
import { pickFields } from './fields.ts';
import { isMessaging, tooMuch, unknownNode } from './nodes.ts';
import type { MetaAccount, MetaAd, MetaState } from './state.ts';

const mostRowsAtOnce = 1_000;
/** How long a day may still change. */
const settledAfterDays = 28;
const maxMonths = 37;
const maxCachedRequests = 64;

interface Run {
  readonly account: MetaAccount;
  readonly params: Readonly<Record<string, string>>;
  polls: number;
}

/** Meta's report of an ad on a day at a given time: conversions arrive for weeks, and spend is corrected in the first days. */
export interface MetaDay {
  readonly ad: MetaAd;
  readonly day: string;
  readonly spend: string;
  readonly impressions: number;
  readonly clicks: number;
  readonly reach: number;
  readonly purchases: number;
  readonly purchaseValue: string;
  readonly videoViews: number | null;
  readonly videoCompletions: number | null;
  readonly conversationsStarted: number | null;
}

/** The report at `now`. Future days and days without impressions have no row. */
export function metaDays(
  adDays: readonly DeliveryRow[],
  state: MetaState,
  of: { readonly account: MetaAccount; readonly since: string; readonly until: string; readonly now: Date },
): MetaDay[] {
  const today = of.now.toISOString().slice(0, 10);
  return adDays.flatMap((row) => {
    const ad = state.find(row.entity.externalId);
    if (!ad || !('creativeId' in ad) || ad.account !== of.account) return [];
    if (row.day < of.since || row.day > of.until || row.day > today || row.impressions === 0) return [];
    const age = Math.round((Date.parse(today) - Date.parse(row.day)) / dayMs);
    const settledDays = Math.min(settledAfterDays, age + 1);
    const correction = age < 3 ? row.spend / 100n : 0n;
    const share = (total: bigint) => (total * BigInt(settledDays)) / BigInt(settledAfterDays);
    return [
      {
        ad,
        day: row.day,
        spend: fromMinorUnits(restatedSpend(state.restated, row) + correction, row.currency),
        impressions: row.impressions,
        clicks: row.clicks,
        reach: row.reach,
        purchases: Number(share(BigInt(row.claimedConversions))),
        purchaseValue: fromMinorUnits(share(row.claimedValue), row.currency),
        videoViews: row.videoViews,
        videoCompletions: row.videoCompletions,
        conversationsStarted: isMessaging(ad.adSet) ? Math.floor(row.clicks / 2) : null,
      },
    ];
  });
}

export interface Insights {
  readonly routes: readonly Route[];
  readRun(request: SandboxRequest): Reply | undefined;
}

export function createInsights(deps: CompanyDeps, state: () => MetaState): Insights {
  const runs = new Map<string, Run>();
  /** Caches the rows, because each page of a response needs the same ones. */
  const cachedDays = new Map<string, MetaDay[]>();
  const days = (account: MetaAccount, params: Readonly<Record<string, string>>): MetaDay[] => {
    const { since, until } = JSON.parse(params.time_range ?? '{}') as { since: string; until: string };
    const now = deps.now();
    const restated = JSON.stringify([...state().restated]);
    const key = [account.id, since, until, now.toISOString().slice(0, 10), restated].join(' ');
    const rows = cachedDays.get(key) ?? metaDays(deps.world.adDays, state(), { account, since, until, now });
    if (cachedDays.size >= maxCachedRequests) cachedDays.clear();
    cachedDays.set(key, rows);
    return rows;
  };
  const refusal = (params: Readonly<Record<string, string>>) => {
    if (!['ad', 'account'].includes(params.level ?? '') || params.time_increment !== '1') {
      return metaError({ code: 100, message: 'The sandbox knows level=ad or account, and time_increment=1.' });
    }
    const { since = '' } = JSON.parse(params.time_range ?? '{}') as { since?: string };
    const oldest = new Date(deps.now());
    oldest.setUTCMonth(oldest.getUTCMonth() - maxMonths);
    if (Date.parse(since) < oldest.getTime()) {
      return metaError({ code: 3018, message: 'The start date of the time range cannot be beyond 37 months' });
    }
    return Number(params.limit ?? 25) > mostRowsAtOnce ? tooMuch() : undefined;
  };
  const routes: Route[] = [
    {
      method: 'GET',
      path: '/meta/:version/:account/insights',
      handle(request) {
        const run = runs.get(request.params.account ?? '');
        if (run) {
          return withToken(deps, (_, grant) =>
            sharedBy(state(), grant).includes(run.account)
              ? pageOf(deps, request, days(run.account, run.params), (row) =>
                  pickFields(run.params.fields, toInsightsRow(row)),
                )
              : unknownNode(request.params.account ?? ''),
          )(request);
        }
        return withAccount(deps, state, (_, account) => {
          const params = paramsOf(request);
          const below = state().find(request.params.account ?? '');
          if (below) return json(200, { data: totalOf(days(account, params), below.id) });
          const refused = refusal(params);
          if (refused) return refused;
          if (params.level === 'account') {
            const whole = [...Map.groupBy(days(account, params), ({ day }) => day)];
            return pageOf(deps, request, whole, ([day, rows]) => ({
              date_start: day,
              account_currency: account.currency,
              spend: sumOf(rows, account.currency),
            }));
          }
          return pageOf(deps, request, days(account, params), (row) => pickFields(params.fields, toInsightsRow(row)));
        })(request);
      },
    },
    {
      method: 'POST',
      path: '/meta/:version/:account/insights',
      handle: withAccount(deps, state, (request, account) => {
        const params = paramsOf(request);
        const refused = refusal(params);
        if (refused) return refused;
        const id = `6${String(runs.size + 1).padStart(14, '0')}`;
        runs.set(id, { account, params, polls: 0 });
        return json(200, { report_run_id: id });
      }),
    },
  ];
  return {
    routes,
    /** The state of a report run; undefined if the node is not a run. */
    readRun(request) {
      const id = request.params.node ?? '';
      const run = runs.get(id);
      if (!run) return undefined;
      run.polls += 1;
      const status = ['Job Not Started', 'Job Running'][run.polls - 1] ?? 'Job Completed';
      const done = status === 'Job Completed' ? 100 : run.polls * 30;
      return json(200, { id, async_status: status, async_percent_completion: done });
    },
  };
}

/** The spend of a campaign over all requested days; empty if it did not run. */
function totalOf(rows: readonly MetaDay[], campaignId: string): { spend: string }[] {
  const mine = rows.filter(({ ad }) => ad.adSet.campaign.id === campaignId);
  const currency = mine[0]?.ad.account.currency;
  if (currency === undefined) return [];
  return [{ spend: sumOf(mine, currency) }];
}

const sumOf = (rows: readonly MetaDay[], currency: string): string =>
  fromMinorUnits(
    rows.reduce((sum, { spend }) => sum + toMinorUnits(spend, currency), 0n),
    currency,
  );

/** Formats a row: numbers are strings, and a purchase is reported three times under three names. */
function toInsightsRow(row: MetaDay): Record<string, unknown> {
  const purchaseNames = ['purchase', 'omni_purchase', 'offsite_conversion.fb_pixel_purchase'];
  const actions = [
    { action_type: 'link_click', value: String(row.clicks) },
    ...(row.purchases > 0 ? purchaseNames.map((name) => ({ action_type: name, value: String(row.purchases) })) : []),
    ...(row.videoViews !== null ? [{ action_type: 'video_view', value: String(row.videoViews) }] : []),
    ...(row.conversationsStarted !== null
      ? [
          {
            action_type: 'onsite_conversion.messaging_conversation_started_7d',
            value: String(row.conversationsStarted),
          },
          { action_type: 'onsite_conversion.messaging_first_reply', value: String(row.conversationsStarted) },
        ]
      : []),
  ];
  return {
    date_start: row.day,
    date_stop: row.day,
    account_id: row.ad.account.accountId,
    account_currency: row.ad.account.currency,
    campaign_id: row.ad.adSet.campaign.id,
    adset_id: row.ad.adSet.id,
    ad_id: row.ad.id,
    impressions: String(row.impressions),
    clicks: String(row.clicks),
    inline_link_clicks: String(row.clicks),
    spend: row.spend,
    reach: String(row.reach),
    actions,
    ...(row.purchases > 0 && {
      action_values: purchaseNames.map((name) => ({ action_type: name, value: row.purchaseValue })),
    }),
    ...(row.videoCompletions !== null && {
      video_p100_watched_actions: [{ action_type: 'video_view', value: String(row.videoCompletions) }],
    }),
    attribution_setting: '7d_click_1d_view',
    objective: 'OUTCOME_SALES',
    optimization_goal: 'OFFSITE_CONVERSIONS',
  };
}
