import { z } from 'zod';
import type { ProviderRecord } from '../provider.ts';
import { count, dayText, decimalText, readAs, wholeText } from '../read-answer.ts';
import { fromMicros } from './money.ts';

const Id = z.union([z.string(), z.number()]).transform(String);
const statuses: Readonly<Record<string, string>> = { ENABLED: 'ACTIVE', PAUSED: 'PAUSED', REMOVED: 'DELETED' };

/** Maps ENABLED, PAUSED, REMOVED to the statuses shared by all platforms. */
export const statusOf = (status: string): string => statuses[status] ?? status;

const CampaignRow = z.object({
  campaign: z.object({
    id: Id,
    name: z.string().optional(),
    status: z.string(),
    advertisingChannelType: z.string().optional(),
  }),
  campaignBudget: z.object({ amountMicros: wholeText.optional(), period: z.string().optional() }).optional(),
});
const AdGroupRow = z.object({
  adGroup: z.object({ id: Id, name: z.string().optional(), status: z.string() }),
  campaign: z.object({ id: Id }),
});
const AdRow = z.object({
  adGroupAd: z.object({
    status: z.string(),
    ad: z.object({
      id: Id,
      name: z.string().optional(),
      type: z.string().optional(),
      finalUrlSuffix: z.string().optional(),
      responsiveSearchAd: z
        .object({
          headlines: z.array(z.object({ text: z.string() })).default([]),
          descriptions: z.array(z.object({ text: z.string() })).default([]),
        })
        .optional(),
    }),
  }),
  adGroup: z.object({ id: Id }),
  campaign: z.object({ id: Id }),
});
const Metrics = z.object({
  costMicros: wholeText.default('0'),
  impressions: count.default(0),
  clicks: count.default(0),
  conversions: decimalText.default('0'),
  conversionsValue: decimalText.default('0'),
});
const metrics =
  'metrics.cost_micros, metrics.impressions, metrics.clicks, metrics.conversions, metrics.conversions_value';
const AdDayRow = z.object({
  adGroupAd: z.object({ ad: z.object({ id: Id }) }),
  adGroup: z.object({ id: Id }),
  campaign: z.object({ id: Id }),
  segments: z.object({ date: dayText }),
  metrics: Metrics,
});
const CampaignDayRow = AdDayRow.omit({ adGroupAd: true, adGroup: true });

interface Days {
  readonly since: string;
  readonly until: string;
}

/** A query and the parser of its rows. */
interface ReportQuery {
  query(days: Days): string;
  parse(row: unknown, currency: string): ProviderRecord;
}

const defineQuery = <T>(
  row: z.ZodType<T>,
  query: ReportQuery['query'],
  parse: (row: T, currency: string) => ProviderRecord,
): ReportQuery => ({
  query,
  parse: (raw, currency) => parse(readAs(row, raw, 'row'), currency),
});

const between = ({ since, until }: Days): string => `segments.date BETWEEN '${since}' AND '${until}'`;

export const reads = {
  campaigns: defineQuery(
    CampaignRow,
    () =>
      'SELECT campaign.id, campaign.name, campaign.status, campaign.advertising_channel_type, campaign_budget.amount_micros, campaign_budget.period FROM campaign',
    ({ campaign, campaignBudget: budget }, currency) => ({
      kind: 'entity',
      level: 'campaign',
      externalId: campaign.id,
      status: statusOf(campaign.status),
      currency,
      ...(campaign.name !== undefined && { name: campaign.name }),
      ...(campaign.advertisingChannelType !== undefined && {
        objective: campaign.advertisingChannelType,
        // A Google campaign runs on one network.
        audience: { placement: campaign.advertisingChannelType.toLowerCase() },
      }),
      ...(budget?.amountMicros !== undefined &&
        budget.period === 'DAILY' && { dailyBudget: fromMicros(budget.amountMicros) }),
    }),
  ),
  ad_groups: defineQuery(
    AdGroupRow,
    () => 'SELECT ad_group.id, ad_group.name, ad_group.status, campaign.id FROM ad_group',
    ({ adGroup, campaign }, currency) => ({
      kind: 'entity',
      level: 'ad_set',
      externalId: adGroup.id,
      campaignId: campaign.id,
      status: statusOf(adGroup.status),
      currency,
      ...(adGroup.name !== undefined && { name: adGroup.name }),
    }),
  ),
  ads: defineQuery(
    AdRow,
    () =>
      'SELECT ad_group_ad.ad.id, ad_group_ad.ad.name, ad_group_ad.ad.type, ad_group_ad.ad.final_url_suffix, ad_group_ad.ad.responsive_search_ad.headlines, ad_group_ad.ad.responsive_search_ad.descriptions, ad_group_ad.status, ad_group.id, campaign.id FROM ad_group_ad',
    ({ adGroupAd: { ad, status }, adGroup, campaign }, currency) => {
      const [title, body] = [ad.responsiveSearchAd?.headlines[0]?.text, ad.responsiveSearchAd?.descriptions[0]?.text];
      return {
        kind: 'entity',
        level: 'ad',
        externalId: ad.id,
        campaignId: campaign.id,
        adSetId: adGroup.id,
        status: statusOf(status),
        currency,
        // Most Google ads have no name.
        name: ad.name ?? title ?? ad.id,
        ...(ad.type !== undefined && { format: formatOf(ad.type) }),
        creative: {
          externalId: ad.id,
          ...(title !== undefined && { title }),
          ...(body !== undefined && { body }),
          ...(ad.finalUrlSuffix !== undefined && { urlTags: ad.finalUrlSuffix }),
        },
      };
    },
  ),
  ad_days: defineQuery(
    AdDayRow,
    (days) =>
      `SELECT segments.date, ad_group_ad.ad.id, ad_group.id, campaign.id, ${metrics} FROM ad_group_ad WHERE ${between(days)}`,
    (row, currency) => ({
      kind: 'delivery',
      level: 'ad',
      externalId: row.adGroupAd.ad.id,
      campaignId: row.campaign.id,
      adSetId: row.adGroup.id,
      ...dayOf(row, currency),
    }),
  ),
  // Performance Max has neither ad groups nor ads, so its results are reported per campaign.
  campaign_days: defineQuery(
    CampaignDayRow,
    (days) =>
      `SELECT segments.date, campaign.id, ${metrics} FROM campaign WHERE campaign.advertising_channel_type = 'PERFORMANCE_MAX' AND ${between(days)}`,
    (row, currency) => ({ kind: 'delivery', level: 'campaign', externalId: row.campaign.id, ...dayOf(row, currency) }),
  ),
} as const satisfies Record<string, ReportQuery>;
export type ReadName = keyof typeof reads;

const dayOf = (row: z.infer<typeof CampaignDayRow>, currency: string) => ({
  day: row.segments.date,
  currency,
  spend: fromMicros(row.metrics.costMicros),
  impressions: row.metrics.impressions,
  clicks: row.metrics.clicks,
  // Primary conversion actions, on the day of the click. Fractional values are possible.
  conversions: row.metrics.conversions,
  conversionValue: row.metrics.conversionsValue,
});

function formatOf(type: string): string {
  if (type.includes('VIDEO')) return 'video';
  return type.includes('IMAGE') || type.includes('DISPLAY') ? 'static' : 'other';
}
