import type { Ad, AdSet, Campaign, DeliveryRow } from '@tributary/market';
import { fromMinorUnits, minorDigits } from '@tributary/rules';
import { dayMs } from '@tributary/vocabulary';
import { restatedSpend } from '../restated.ts';
import type { World } from '../world.ts';
import type { Row } from './gaql.ts';

export interface GoogleCustomer {
  readonly id: string;
  readonly name: string;
  readonly currency: string;
  /** Undefined: accessed without a manager. */
  readonly manager: string | undefined;
  readonly conversionAction: string;
}

export interface GoogleCampaign {
  readonly customer: GoogleCustomer;
  readonly of: Campaign;
  name: string;
  readonly isPerformanceMax: boolean;
  status: string;
  readonly budget: { readonly id: string; readonly isShared: boolean; micros: bigint };
}

export interface GoogleAdGroup {
  readonly campaign: GoogleCampaign;
  readonly of: AdSet;
  name: string;
  status: string;
}

export interface GoogleAd {
  readonly adGroup: GoogleAdGroup;
  readonly of: Ad;
  status: string;
}

export interface GoogleState {
  /** The manager, and one below it without accounts. */
  readonly managers: readonly string[];
  readonly customers: readonly GoogleCustomer[];
  readonly campaigns: readonly GoogleCampaign[];
  readonly adGroups: readonly GoogleAdGroup[];
  readonly ads: readonly GoogleAd[];
  /** Days with restated spend, by `restatedKey`: the percentage of the amount reported first. */
  readonly restated: Map<string, number>;
}

/** The market's campaigns on this platform, one customer per currency: the first one independent, the others below a manager. */
export function createState({ market }: World): GoogleState {
  const mine = market.campaigns.filter(({ platform }) => platform === 'search_ads');
  const base = 3_000_000_000 + (market.seed % 9_999) * 10_000;
  const managers = [String(base + 9_000), String(base + 9_001)];
  const customers = [...new Set(mine.map(({ currency }) => currency))].map(
    (currency, place): GoogleCustomer => ({
      id: String(base + place),
      name: `Sandbox search ${currency}`,
      currency,
      manager: place === 0 ? undefined : managers[0],
      conversionAction: String(800_000_000 + place),
    }),
  );
  const campaigns = mine.map((of, place): GoogleCampaign => {
    const customer = customers.find(({ currency }) => currency === of.currency) as GoogleCustomer;
    const isShared = place % 4 === 2;
    const budget = { id: `5${isShared ? '0' : of.externalId}`, isShared, micros: 25_500_000n };
    return { customer, of, name: of.name, isPerformanceMax: place % 4 === 3, status: 'ENABLED', budget };
  });
  const adGroups = campaigns
    .filter(({ isPerformanceMax }) => !isPerformanceMax)
    .flatMap((campaign) =>
      campaign.of.adSets.map((of): GoogleAdGroup => ({ campaign, of, name: of.name, status: 'ENABLED' })),
    );
  const ads = adGroups.flatMap((adGroup) =>
    adGroup.of.ads.map(
      (of, place): GoogleAd => ({
        adGroup,
        of,
        status: ['ENABLED', 'ENABLED', 'PAUSED', 'REMOVED'][place] ?? 'ENABLED',
      }),
    ),
  );
  return { managers, customers, campaigns, adGroups, ads, restated: new Map() };
}

const settledAfterDays = 30;

/** The rows of one customer by resource, with every selectable field. */
export function rowsOf(
  state: GoogleState,
  customer: GoogleCustomer,
  resource: string,
  adDays: () => readonly DeliveryRow[],
  now: Date,
): Row[] | undefined {
  const mine = <T>(all: readonly T[], of: (one: T) => GoogleCampaign) =>
    all.filter((one) => of(one).customer === customer);
  const days = (rows: readonly DeliveryRow[]) => daysOf(customer, rows, now, state.restated);
  switch (resource) {
    case 'customer':
      return [
        {
          'customer.id': customer.id,
          'customer.conversion_tracking_setting.google_ads_conversion_customer': `customers/${customer.manager ?? customer.id}`,
        },
      ];
    case 'campaign':
      return mine(state.campaigns, (one) => one).map(campaignRow);
    case 'ad_group':
      return mine(state.adGroups, ({ campaign }) => campaign).map(adGroupRow);
    case 'ad_group_ad':
      return mine(state.ads, ({ adGroup }) => adGroup.campaign).map(adRow);
    case 'customer by day':
      return days(
        mine(state.campaigns, (one) => one).flatMap(({ of }) =>
          of.adSets.flatMap(({ ads }) => ads.flatMap((ad) => ofAd(adDays(), ad))),
        ),
      );
    case 'campaign by day':
      return mine(state.campaigns, (one) => one).flatMap((campaign) =>
        days(campaign.of.adSets.flatMap(({ ads }) => ads.flatMap((ad) => ofAd(adDays(), ad)))).map((day) => ({
          ...campaignRow(campaign),
          ...day,
        })),
      );
    case 'ad_group_ad by day':
      return mine(state.ads, ({ adGroup }) => adGroup.campaign).flatMap((ad) =>
        days(ofAd(adDays(), ad.of)).map((day) => ({ ...adRow(ad), ...day })),
      );
    default:
      return undefined;
  }
}

/** Rows by ad, grouped once per market. */
const rowsByAd = new WeakMap<readonly DeliveryRow[], Map<string, DeliveryRow[]>>();
function ofAd(rows: readonly DeliveryRow[], { externalId }: Ad): readonly DeliveryRow[] {
  const byAd = rowsByAd.get(rows) ?? Map.groupBy(rows, ({ entity }) => entity.externalId);
  rowsByAd.set(rows, byAd);
  return byAd.get(externalId) ?? [];
}

/** One row per day. Conversions arrive for a month, so recent days report fewer than their final count. */
function daysOf(
  { currency }: GoogleCustomer,
  rows: readonly DeliveryRow[],
  now: Date,
  restated: GoogleState['restated'],
): Row[] {
  const today = now.toISOString().slice(0, 10);
  const perMinor = 10n ** BigInt(6 - minorDigits(currency));
  return [...Map.groupBy(rows, ({ day }) => day)].flatMap(([day, of]) => {
    const sum = (read: (row: DeliveryRow) => number) => of.reduce((total, row) => total + read(row), 0);
    const money = (read: (row: DeliveryRow) => bigint) => of.reduce((total, row) => total + read(row), 0n);
    const impressions = sum((row) => row.impressions);
    if (day > today || impressions === 0) return [];
    const age = Math.round((Date.parse(today) - Date.parse(day)) / dayMs);
    const rowsByAd = Math.min(settledAfterDays, age + 1) / settledAfterDays;
    const value = Number(
      fromMinorUnits(
        money((row) => row.claimedValue),
        currency,
      ),
    );
    return [
      {
        'segments.date': day,
        'metrics.cost_micros': String(money((row) => restatedSpend(restated, row)) * perMinor),
        'metrics.impressions': String(impressions),
        'metrics.clicks': String(sum((row) => row.clicks)),
        'metrics.conversions': sum((row) => row.claimedConversions) * rowsByAd,
        'metrics.conversions_value': value * rowsByAd,
      },
    ];
  });
}

function campaignRow({ of, name, customer, status, isPerformanceMax, budget }: GoogleCampaign): Row {
  return {
    'campaign.resource_name': `customers/${customer.id}/campaigns/${of.externalId}`,
    'campaign.id': of.externalId,
    'campaign.name': name,
    'campaign.status': status,
    'campaign.advertising_channel_type': isPerformanceMax ? 'PERFORMANCE_MAX' : 'SEARCH',
    'campaign_budget.resource_name': `customers/${customer.id}/campaignBudgets/${budget.id}`,
    'campaign_budget.amount_micros': String(budget.micros),
    'campaign_budget.explicitly_shared': budget.isShared,
    'campaign_budget.period': 'DAILY',
  };
}

function adGroupRow({ campaign, of, name, status }: GoogleAdGroup): Row {
  return {
    ...campaignRow(campaign),
    'ad_group.resource_name': `customers/${campaign.customer.id}/adGroups/${of.externalId}`,
    'ad_group.id': of.externalId,
    'ad_group.name': name,
    'ad_group.status': status,
  };
}

function adRow({ adGroup, of, status }: GoogleAd): Row {
  return {
    ...adGroupRow(adGroup),
    'ad_group_ad.resource_name': `customers/${adGroup.campaign.customer.id}/adGroupAds/${adGroup.of.externalId}~${of.externalId}`,
    'ad_group_ad.status': status,
    'ad_group_ad.ad.id': of.externalId,
    'ad_group_ad.ad.type': 'RESPONSIVE_SEARCH_AD',
    'ad_group_ad.ad.responsive_search_ad.headlines': [{ text: of.creative.headline }],
    'ad_group_ad.ad.responsive_search_ad.descriptions': [{ text: `${of.creative.headline}, today.` }],
  };
}
