import { createGoogleAds } from '../google-ads/index.ts';
import { asProvider } from '../registry.ts';
import { createSearchConsole } from '../search-console/index.ts';
import type { PublishedExamples } from './example.ts';

const search =
  'developers.google.com/google-ads/api/rest/common/search; googleapis/googleapis google/ads/googleads/v25 (resources, common/metrics.proto)';
const analytics =
  'developers.google.com/webmaster-tools/v1/searchanalytics/query; Google’s discovery document of the Search Console API';

const client = {
  clientId: 'c',
  clientSecret: 's',
  dialogUrl: 'https://accounts.google.com',
  tokenUrl: 'https://oauth2.googleapis.com',
};
const credentials = { accessToken: 't', refreshToken: 'r', expiresAt: '2030-01-01T00:00:00.000Z', granted: [] };
const campaign = { resourceName: 'customers/1234567890/campaigns/17446000001', id: '17446000001' };
const adGroup = { resourceName: 'customers/1234567890/adGroups/147446000002', id: '147446000002' };

const of = (name: string, stage: string, row: object, said: object) => ({
  name,
  source: search,
  // Responses are chosen by the first resource of the query.
  answers: { [stage]: { results: [row], fieldMask: 'as.asked', queryResourceConsumption: '118' } },
  said: [said],
});

export const googleAdsExamples: PublishedExamples = {
  provider: asProvider(
    createGoogleAds({
      ...client,
      developerToken: 'd',
      adsUrl: 'https://googleads.googleapis.com',
      apiVersion: 'v25',
      dataManagerUrl: 'https://datamanager.googleapis.com',
    }),
  ),
  account: { externalId: '1234567890', credentials, details: { currency: 'EUR', timeZone: 'Europe/Madrid' } },
  position: { stage: 'done', restatedOn: '2026-03-01' },
  empty: () => ({ fieldMask: 'as.asked' }),
  examples: [
    of(
      'a campaign with a budget',
      'FROM campaign',
      {
        campaign: { ...campaign, name: 'Search, winter', status: 'ENABLED', advertisingChannelType: 'SEARCH' },
        campaignBudget: {
          resourceName: 'customers/1234567890/campaignBudgets/1',
          amountMicros: '25500000',
          period: 'DAILY',
        },
      },
      {
        kind: 'entity',
        level: 'campaign',
        externalId: '17446000001',
        name: 'Search, winter',
        status: 'ACTIVE',
        currency: 'EUR',
        objective: 'SEARCH',
        audience: { placement: 'search' },
        dailyBudget: '25.5',
      },
    ),
    of(
      'a removed campaign without a budget, of a kind that is new',
      'FROM campaign',
      { campaign: { ...campaign, status: 'REMOVED', advertisingChannelType: 'UNKNOWN' } },
      {
        kind: 'entity',
        level: 'campaign',
        externalId: '17446000001',
        status: 'DELETED',
        currency: 'EUR',
        objective: 'UNKNOWN',
        audience: { placement: 'unknown' },
      },
    ),
    of(
      'an ad group',
      'FROM ad_group',
      { adGroup: { ...adGroup, name: 'Shoes', status: 'PAUSED' }, campaign },
      {
        kind: 'entity',
        level: 'ad_set',
        externalId: '147446000002',
        campaignId: '17446000001',
        name: 'Shoes',
        status: 'PAUSED',
        currency: 'EUR',
      },
    ),
    of(
      'an ad without a name',
      'FROM ad_group_ad',
      {
        adGroupAd: {
          resourceName: 'customers/1234567890/adGroupAds/147446000002~600000003',
          status: 'ENABLED',
          ad: {
            resourceName: 'customers/1234567890/ads/600000003',
            id: '600000003',
            type: 'RESPONSIVE_SEARCH_AD',
            responsiveSearchAd: {
              headlines: [{ text: 'Warm shoes', assetPerformanceLabel: 'LEARNING' }, { text: 'Winter sale' }],
              descriptions: [{ text: 'Free returns.' }],
            },
          },
        },
        adGroup,
        campaign,
      },
      {
        kind: 'entity',
        level: 'ad',
        externalId: '600000003',
        campaignId: '17446000001',
        adSetId: '147446000002',
        name: 'Warm shoes',
        status: 'ACTIVE',
        currency: 'EUR',
        format: 'other',
        creative: { externalId: '600000003', title: 'Warm shoes', body: 'Free returns.' },
      },
    ),
    of(
      'a day of an ad with fractional conversions',
      'metrics FROM ad_group_ad',
      {
        adGroupAd: { ad: { id: '600000003' } },
        adGroup,
        campaign,
        segments: { date: '2026-03-01' },
        metrics: {
          clicks: '41',
          conversionsValue: 219.9,
          conversions: 2.5,
          costMicros: '12340000',
          impressions: '1801',
        },
      },
      {
        kind: 'delivery',
        level: 'ad',
        externalId: '600000003',
        campaignId: '17446000001',
        adSetId: '147446000002',
        day: '2026-03-01',
        currency: 'EUR',
        spend: '12.34',
        impressions: 1_801,
        clicks: 41,
        conversions: '2.5',
        conversionValue: '219.9',
      },
    ),
    of(
      'a day on which metrics without a value are left out',
      'metrics FROM campaign',
      { campaign, segments: { date: '2026-03-01' }, metrics: { impressions: '7' } },
      {
        kind: 'delivery',
        level: 'campaign',
        externalId: '17446000001',
        day: '2026-03-01',
        currency: 'EUR',
        spend: '0',
        impressions: 7,
        clicks: 0,
        conversions: '0',
        conversionValue: '0',
      },
    ),
  ],
};

export const searchConsoleExamples: PublishedExamples = {
  provider: asProvider(createSearchConsole({ ...client, apiUrl: 'https://www.googleapis.com' })),
  account: { externalId: 'sc-domain:example.com', credentials, details: {} },
  position: { stage: 'reading', since: '2026-02-25', last: '2026-03-01', startRow: 0, reading: 'r1' },
  empty: () => ({ responseAggregationType: 'byPage' }),
  kinds: ['search_term'],
  examples: [
    {
      name: 'rows of queries and pages, whose counts are doubles',
      source: analytics,
      answers: {
        '/searchAnalytics/query': {
          rows: [
            {
              keys: ['2026-02-26', 'warm shoes', 'https://example.com/shoes'],
              clicks: 2,
              impressions: 31,
              ctr: 0.064516,
              position: 4.387096774193548,
            },
            { keys: ['2026-02-26', 'shoes', 'https://example.com/'], clicks: 0, impressions: 1, ctr: 0, position: 71 },
          ],
          responseAggregationType: 'byPage',
        },
      },
      said: [
        {
          kind: 'search_term',
          reading: 'r1',
          day: '2026-02-26',
          query: 'warm shoes',
          page: 'https://example.com/shoes',
          clicks: 2,
          impressions: 31,
          position: '4.387096774193548',
        },
        {
          kind: 'search_term',
          reading: 'r1',
          day: '2026-02-26',
          query: 'shoes',
          page: 'https://example.com/',
          clicks: 0,
          impressions: 1,
          position: '71',
        },
      ],
    },
    {
      name: 'a site without any rows',
      source: analytics,
      answers: { '/searchAnalytics/query': { responseAggregationType: 'byProperty' } },
      said: [],
    },
  ],
};
