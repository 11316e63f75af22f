import type { House } from '../house.ts';
import { type Asked, json, type Reply, type Route } from '../route.ts';
import { sayAccount, sharedBy, withAccount } from './accounts.ts';
import { metaError, pageOf, paramsOf, withToken } from './envelope.ts';
import { pickFields } from './fields.ts';
import { drawCreative } from './picture.ts';
import type { MetaAccount, MetaAd, MetaAdSet, MetaCampaign, MetaCreative, MetaState } from './state.ts';

/** Ads with their creatives are heavy: more of them at once is too much. */
const mostAdsAtOnce = 100;

export function nodeRoutes(
  house: House,
  state: () => MetaState,
  readRun: (asked: Asked) => Reply | undefined,
): Route[] {
  const list = <T extends { readonly account: MetaAccount }>(
    edge: string,
    rows: () => readonly T[],
    say: (row: T) => Record<string, unknown>,
  ): Route => ({
    method: 'GET',
    path: `/meta/:version/:account/${edge}`,
    handle: withAccount(house, state, (asked, account) => {
      const params = paramsOf(asked);
      if (edge === 'ads' && Number(params.limit ?? 25) > mostAdsAtOnce) return tooMuch();
      const shown = statusesOf(asked);
      const above = asked.params.account ?? '';
      const mine = rows()
        .filter((row) => row.account === account)
        .map(say)
        .filter((row) => above === account.id || row.campaign_id === above || row.adset_id === above)
        .filter((row) => shown(String(row.effective_status)));
      const summary = params.summary === undefined ? {} : { summary: { total_count: mine.length } };
      return pageOf(house, asked, mine, (row) => pickFields(params.fields, row), summary);
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
    list('campaigns', () => state().campaigns, sayCampaign),
    list('adsets', () => state().adSets, sayAdSet),
    list(
      'ads',
      () => state().ads,
      (ad) => sayAd(ad, state(), house.url()),
    ),
    {
      method: 'GET',
      path: '/meta/:version/:node',
      handle: withToken(house, (asked, grant) => {
        const run = readRun(asked);
        if (run) return run;
        const id = asked.params.node ?? '';
        const said = sayNode(state(), id, house.url());
        if (!said || !sharedBy(state(), grant).includes(said.account)) return unknownNode(id);
        return json(200, pickFields(paramsOf(asked).fields, said.node));
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

/** Archived and deleted ones are shown only to whoever asks for them. */
function statusesOf(asked: Asked): (status: string) => boolean {
  const told = paramsOf(asked).effective_status;
  if (told === undefined) return (status) => status !== 'ARCHIVED' && status !== 'DELETED';
  const wanted = JSON.parse(told) as string[];
  return (status) => wanted.includes(status);
}

function sayNode(
  state: MetaState,
  id: string,
  url: string,
): { account: MetaAccount; node: Record<string, unknown> } | undefined {
  const account = state.accounts.find((one) => one.id === id);
  if (account) return { account, node: sayAccount(account) };
  const creative = state.creatives.get(id);
  if (creative) return { account: creative.account, node: sayCreative(creative, url) };
  const node = state.find(id);
  if (!node) return undefined;
  const within = { account: sayAccount(node.account) };
  if ('creativeId' in node) return { account: node.account, node: { ...sayAd(node, state, url), ...within } };
  if ('campaign' in node) return { account: node.account, node: { ...sayAdSet(node), ...within } };
  return { account: node.account, node: { ...sayCampaign(node), ...within } };
}

function sayCampaign(campaign: MetaCampaign): Record<string, unknown> {
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

function sayAdSet(adSet: MetaAdSet): Record<string, unknown> {
  const own = adSet.status !== 'ACTIVE' ? adSet.status : undefined;
  return {
    id: adSet.id,
    account_id: adSet.account.accountId,
    name: adSet.name,
    campaign_id: adSet.campaign.id,
    campaign: sayCampaign(adSet.campaign),
    status: adSet.status,
    effective_status: own ?? (adSet.campaign.status === 'ACTIVE' ? 'ACTIVE' : 'CAMPAIGN_PAUSED'),
    // Meta writes a budget that there is not as "0" for an ad set below a campaign's budget.
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

/** The first ad set of a campaign is shown to people like buyers wherever Meta likes, the others to strangers on Instagram. */
const targetingOf = (adSet: MetaAdSet): Record<string, unknown> => ({
  age_min: 18,
  geo_locations: { countries: ['CL'], location_types: ['home', 'recent'] },
  ...(isMessaging(adSet)
    ? { custom_audiences: [{ id: '6001', name: 'Lookalike (CL, 1%) - Buyers' }] }
    : { publisher_platforms: ['instagram'], instagram_positions: ['stream', 'story'] }),
});

/** The first ad set of each campaign sends people to a chat. */
export const isMessaging = (adSet: MetaAdSet): boolean => adSet.campaign.of.adSets[0] === adSet.of;

function sayAd(ad: MetaAd, state: MetaState, url: string): Record<string, unknown> {
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
    ...(creative && { creative: sayCreative(creative, url) }),
    updated_time: '2026-01-01T00:00:00+0000',
  };
}

function sayCreative(creative: MetaCreative, url: string): Record<string, unknown> {
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
