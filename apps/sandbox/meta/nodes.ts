import type { CompanyDeps } from '../company.ts';
import { json, type Reply, type Route, type SandboxRequest } from '../route.ts';
import { sharedBy, toAccountNode, withAccount } from './accounts.ts';
import { metaError, pageOf, paramsOf, withToken } from './envelope.ts';
import { pickFields } from './fields.ts';
import { drawCreative } from './picture.ts';
import type { MetaAccount, MetaAd, MetaAdSet, MetaCampaign, MetaCreative, MetaState } from './state.ts';

/** Ads with their creatives are heavy, so Meta refuses larger pages. */
const maxAdsPerPage = 100;

export function nodeRoutes(
  deps: CompanyDeps,
  state: () => MetaState,
  readRun: (request: SandboxRequest) => Reply | undefined,
): Route[] {
  const list = <T extends { readonly account: MetaAccount }>(
    edge: string,
    rows: () => readonly T[],
    say: (row: T) => Record<string, unknown>,
  ): Route => ({
    method: 'GET',
    path: `/meta/:version/:account/${edge}`,
    handle: withAccount(deps, state, (request, account) => {
      const params = paramsOf(request);
      if (edge === 'ads' && Number(params.limit ?? 25) > maxAdsPerPage) return tooMuch();
      const shown = statusesOf(request);
      const above = request.params.account ?? '';
      const mine = rows()
        .filter((row) => row.account === account)
        .map(say)
        .filter((row) => above === account.id || row.campaign_id === above || row.adset_id === above)
        .filter((row) => shown(String(row.effective_status)));
      const summary = params.summary === undefined ? {} : { summary: { total_count: mine.length } };
      return pageOf(deps, request, mine, (row) => pickFields(params.fields, row), summary);
    }),
  });
  return [
    {
      method: 'GET',
      path: '/meta-pictures/:file',
      handle: ({ params }) => {
        const creative = state().creatives.get(params.file?.replace(/\.png$/, '') ?? '');
        if (!creative) return unknownNode(params.file ?? '');
        return { status: 200, headers: { 'content-type': 'image/png' }, body: drawCreative(creative) };
      },
    },
    list('campaigns', () => state().campaigns, toCampaignNode),
    list('adsets', () => state().adSets, toAdSetNode),
    list(
      'ads',
      () => state().ads,
      (ad) => toAdNode(ad, state(), deps.url()),
    ),
    {
      method: 'GET',
      path: '/meta/:version/:node',
      handle: withToken(deps, (request, grant) => {
        const run = readRun(request);
        if (run) return run;
        const id = request.params.node ?? '';
        const found = findNode(state(), id, deps.url());
        if (!found || !sharedBy(state(), grant).includes(found.account)) return unknownNode(id);
        return json(200, pickFields(paramsOf(request).fields, found.node));
      }),
    },
  ];
}

export const tooMuch = (): Reply =>
  metaError({
    status: 500,
    code: 1,
    message: "Please reduce the amount of data you're asking for, then retry your request",
  });

export const unknownNode = (id: string): Reply =>
  metaError({
    code: 100,
    subcode: 33,
    message: `Unsupported get request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation.`,
  });

/** Archived and deleted entities are listed only on request. */
function statusesOf(request: SandboxRequest): (status: string) => boolean {
  const filter = paramsOf(request).effective_status;
  if (filter === undefined) return (status) => status !== 'ARCHIVED' && status !== 'DELETED';
  const wanted = JSON.parse(filter) as string[];
  return (status) => wanted.includes(status);
}

function findNode(
  state: MetaState,
  id: string,
  url: string,
): { account: MetaAccount; node: Record<string, unknown> } | undefined {
  const account = state.accounts.find((one) => one.id === id);
  if (account) return { account, node: toAccountNode(account) };
  const creative = state.creatives.get(id);
  if (creative) return { account: creative.account, node: toCreativeNode(creative, url) };
  const node = state.find(id);
  if (!node) return undefined;
  const within = { account: toAccountNode(node.account) };
  if ('creativeId' in node) return { account: node.account, node: { ...toAdNode(node, state, url), ...within } };
  if ('campaign' in node) return { account: node.account, node: { ...toAdSetNode(node), ...within } };
  return { account: node.account, node: { ...toCampaignNode(node), ...within } };
}

function toCampaignNode(campaign: MetaCampaign): Record<string, unknown> {
  return {
    id: campaign.id,
    account_id: campaign.account.accountId,
    name: campaign.name,
    objective: 'OUTCOME_SALES',
    status: campaign.status,
    configured_status: campaign.status,
    effective_status: campaign.status,
    ...(campaign.dailyBudget !== undefined && { daily_budget: campaign.dailyBudget }),
    bid_strategy: 'LOWEST_COST_WITHOUT_CAP',
    special_ad_categories: [],
    start_time: '2026-01-01T00:00:00+0000',
    created_time: '2025-12-01T00:00:00+0000',
    updated_time: '2026-01-01T00:00:00+0000',
  };
}

function toAdSetNode(adSet: MetaAdSet): Record<string, unknown> {
  const own = adSet.status !== 'ACTIVE' ? adSet.status : undefined;
  return {
    id: adSet.id,
    account_id: adSet.account.accountId,
    name: adSet.name,
    campaign_id: adSet.campaign.id,
    campaign: toCampaignNode(adSet.campaign),
    status: adSet.status,
    effective_status: own ?? (adSet.campaign.status === 'ACTIVE' ? 'ACTIVE' : 'CAMPAIGN_PAUSED'),
    // Meta reports a missing budget as "0" for an ad set below a campaign budget.
    daily_budget: adSet.dailyBudget ?? '0',
    optimization_goal: 'OFFSITE_CONVERSIONS',
    billing_event: 'IMPRESSIONS',
    destination_type: isMessaging(adSet) ? 'WHATSAPP' : 'WEBSITE',
    promoted_object: { pixel_id: adSet.account.pixels[0]?.id, custom_event_type: 'PURCHASE' },
    attribution_spec: [
      { event_type: 'CLICK_THROUGH', window_days: 7 },
      { event_type: 'VIEW_THROUGH', window_days: 1 },
    ],
    ...(adSet.status === 'ACTIVE' && {
      learning_stage_info: {
        status: adSet.learning.status,
        conversions: 12,
        last_sig_edit_ts: Math.floor(adSet.learning.lastSignificantEdit / 1000),
        attribution_windows: ['7d_click', '1d_view'],
      },
    }),
    targeting: targetingOf(adSet),
    start_time: '2026-01-01T00:00:00+0000',
    updated_time: '2026-01-01T00:00:00+0000',
  };
}

/** The first ad set of a campaign targets lookalikes with automatic placements, the others a broad audience on Instagram. */
const targetingOf = (adSet: MetaAdSet): Record<string, unknown> => ({
  age_min: 18,
  geo_locations: { countries: ['CL'], location_types: ['home', 'recent'] },
  ...(isMessaging(adSet)
    ? { custom_audiences: [{ id: '6001', name: 'Lookalike (CL, 1%) - Buyers' }] }
    : { publisher_platforms: ['instagram'], instagram_positions: ['stream', 'story'] }),
});

/** The first ad set of each campaign is a click-to-message ad set. */
export const isMessaging = (adSet: MetaAdSet): boolean => adSet.campaign.of.adSets[0] === adSet.of;

function toAdNode(ad: MetaAd, state: MetaState, url: string): Record<string, unknown> {
  const own = ad.status !== 'ACTIVE' ? ad.status : undefined;
  const above =
    ad.adSet.campaign.status !== 'ACTIVE'
      ? 'CAMPAIGN_PAUSED'
      : ad.adSet.status !== 'ACTIVE'
        ? 'ADSET_PAUSED'
        : 'ACTIVE';
  const creative = state.creatives.get(ad.creativeId);
  return {
    id: ad.id,
    account_id: ad.account.accountId,
    name: ad.name,
    adset_id: ad.adSet.id,
    campaign_id: ad.adSet.campaign.id,
    status: ad.status,
    effective_status: own ?? above,
    ...(creative && { creative: toCreativeNode(creative, url) }),
    updated_time: '2026-01-01T00:00:00+0000',
  };
}

function toCreativeNode(creative: MetaCreative, url: string): Record<string, unknown> {
  const link = { link: 'https://shop.example/', name: creative.title, message: creative.body };
  return {
    id: creative.id,
    name: creative.name,
    title: creative.title,
    body: creative.body,
    thumbnail_url: `${url}/meta-pictures/${creative.id}.png`,
    ...(creative.videoId !== undefined && { video_id: creative.videoId }),
    ...(creative.urlTags !== undefined && { url_tags: creative.urlTags }),
    object_type: creative.videoId === undefined ? 'SHARE' : 'VIDEO',
    call_to_action_type: 'SHOP_NOW',
    effective_object_story_id: creative.storyId,
    object_story_id: creative.storyId,
    object_story_spec: creative.isCarousel
      ? { link_data: { ...link, child_attachments: [link, link] } }
      : { link_data: link },
  };
}
