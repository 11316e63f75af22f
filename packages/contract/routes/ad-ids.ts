import { limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { IsoTimestamp, limitParameter, page, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { Count } from './report-parts.ts';

/** Whether visits identify the ad that brought them. */

const { days, pageSize } = limits.adIds;

const AdWithoutIds = z
  .strictObject({
    ad_id: Uuid.describe('Our id, as in the campaign_id of GET /campaigns.'),
    ad_external_id: z.string().describe('Its id on the platform, which url-tags/apply takes.'),
    ad_name: z.string(),
    ad_set_name: z.string().nullable(),
    campaign_name: z.string().nullable(),
    platform: z.string(),
    status: z.string().nullable().describe('As the last sync told it.'),
    url_tags: z.string().nullable().describe('The tags of its links as the last sync told them. Null: none was told.'),
    touches: Count.describe(`Visits of the last ${days} days that named it all the same.`),
  })
  .meta({ id: 'AdWithoutIds' });

const Coverage = z.strictObject({
  platform: z.string().describe('Empty: visits by ads that do not even tell the platform.'),
  touches: Count.describe('Visits that ads brought.'),
  with_ad_id: Count.describe('Of those, visits that name the ad.'),
  with_campaign_id: Count.describe('Of those, visits that name the campaign at least.'),
});

export const listAdsWithoutIds = route({
  id: 'listAdsWithoutIds',
  method: 'GET',
  path: '/api/v1/quality/ad-ids',
  summary: 'Ads whose links do not say which ad was clicked',
  description:
    'The ads that url-tags/apply can be used on: on a platform that takes URL parameters from us, neither archived nor deleted, and without the ' +
    `ad’s id in their tags as the last sync told them. \`meta.coverage\` counts, for the last ${days} days, how many of the visits that ads ` +
    'brought name their ad.',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter: 'Ad operations',
  access: {
    credentials: ['api_key', 'app', 'session', 'mcp'],
    scopes: anyOf('campaigns:read'),
    grain: 'profile',
  },
  query: z.object({ limit: limitParameter(pageSize), cursor: Uuid.optional().describe('From the page before.') }),
  answers: {
    200: {
      schema: page(AdWithoutIds, { coverage: z.array(Coverage), since: IsoTimestamp, until: IsoTimestamp }),
    },
  },
});
