import {
  analysisFaults,
  analysisStatuses,
  callToActionTypes,
  creativeAngles,
  hookTypes,
  limits,
} from '@tributary/vocabulary';
import { z } from 'zod';
import { data, IsoTimestamp, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { CreativeFormat } from '../vocabulary.ts';

/** The elements of an ad's creative, as identified by a language model. */

/** The required format of the model's answer; any other is discarded. */
export const CreativeFindings = z
  .strictObject({
    hook_type: z.enum(hookTypes).describe('How it asks for attention.'),
    creative_format: CreativeFormat,
    cta_type: z.enum(callToActionTypes).describe('What it asks people to do.'),
    primary_angle: z.enum(creativeAngles).describe('Its main argument.'),
    offers: z.array(z.string().min(1).max(120)).max(10).describe('What it promises for buying, in its own words.'),
  })
  .meta({ id: 'CreativeFindings' });
export type CreativeFindings = z.output<typeof CreativeFindings>;

const CreativeAnalysis = z
  .strictObject({
    ad_id: Uuid.describe('Our id of the ad.'),
    ad_external_id: z.string(),
    status: z
      .enum(['none', ...analysisStatuses])
      .describe('`none`: nobody has asked yet. `waiting`: ask again in some seconds.'),
    requested_at: IsoTimestamp.nullable(),
    finished_at: IsoTimestamp.nullable(),
    reason: z.enum(analysisFaults).nullable().describe('Why it failed. Asking for it again tries again.'),
    model: z.string().nullable(),
    findings: CreativeFindings.nullable().describe(
      'The latest ones: while another analysis waits or after it failed, those of the one before.',
    ),
  })
  .meta({ id: 'CreativeAnalysis' });

const shared = {
  path: '/api/v1/ads/{id}/creative-analysis',
  chapter: 'Campaigns',
  params: z.object({ id: z.string().max(200).describe('Our id of the ad, or the platform’s.') }),
  ids: { id: 'ad' },
} as const;

export const createCreativeAnalysis = route({
  ...shared,
  id: 'createCreativeAnalysis',
  method: 'POST',
  summary: 'Have an ad’s creative looked at',
  description:
    'Asks the language model that is set up here for hook, format, call to action, angle and offers, from the text and thumbnail that a ' +
    'sync told. GET on the same path says when it is done; top performers show it from then on. A creative that was looked at already, ' +
    'or is being looked at, is not looked at twice. 409 `invalid_state` with the reason `creative_unknown` where no sync has told ' +
    'of a text or picture, 503 where no model is set up.',
  audit: 'not needed: it changes nothing but what is known of an ad',
  access: { credentials: ['api_key', 'app', 'session'], scopes: anyOf('creatives:write'), grain: 'profile' },
  idempotency: 'natural',
  answers: { 202: { schema: data(CreativeAnalysis) } },
  refusals: ['invalid_state'],
});

export const readCreativePicture = route({
  ...shared,
  path: '/api/v1/ads/{id}/picture',
  id: 'readCreativePicture',
  method: 'GET',
  summary: 'The small picture of an ad’s creative',
  description:
    `The thumbnail that a sync named, fetched from the platform and kept for ${limits.creativePictures.freshDays} days: PNG, JPEG, GIF, WebP or AVIF, as ` +
    'its own bytes say. 204 where the platform named none, or where it cannot be had.',
  reveals: { days: 'none', people: 'none', costs: false },
  access: {
    credentials: ['api_key', 'app', 'session', 'shared_link'],
    scopes: anyOf('campaigns:read'),
    grain: 'profile',
  },
  answers: {
    200: { schema: z.string().meta({ format: 'binary' }), contentType: 'image/*', bare: true, binary: true },
    204: { schema: z.undefined(), bare: true, description: 'There is none.' },
  },
});

export const readCreativeAnalysis = route({
  ...shared,
  id: 'readCreativeAnalysis',
  method: 'GET',
  summary: 'How far the analysis of a creative is, and what it found',
  reveals: { days: 'any', people: 'none', costs: false },
  access: {
    credentials: ['api_key', 'app', 'session', 'mcp'],
    scopes: anyOf('creatives:write', 'campaigns:read'),
    grain: 'profile',
  },
  answers: { 200: { schema: data(CreativeAnalysis) } },
});
