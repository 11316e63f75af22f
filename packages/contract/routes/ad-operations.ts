import { actionOutcomes, limits, urlTagResults } from '@tributary/vocabulary';
import { z } from 'zod';
import { CalendarDate, CurrencyCode, DecimalString, data, Uuid } from '../primitives.ts';
import { route } from '../route.ts';
import { AdActionAnswer, access, chapter, MinorUnits } from './ad-actions.ts';
import { Count } from './report-parts.ts';

/** Changes at ad platforms: the request, the state before and after, and the undo. */

const { maxChangePercent, floorMinorUnits } = limits.budgetStep;

const connectionId = Uuid.optional().describe(
  'The account’s connection. Needed only where several accounts of the platform are connected and none of them reported the entity.',
);

const options = {
  connection_id: connectionId,
  applied_by: Uuid.optional().describe('The member of the workspace who decided it. A session is its own person.'),
  dry_run: z.boolean().default(false).describe('Checks everything, with live figures, and sends and keeps nothing.'),
};

const common =
  'Everything is checked against what the platform says at that moment. The same Idempotency-Key acts at most once: where the platform’s ' +
  'answer was lost (502, reason `answer_lost`), the platform is read again, and the same key gives what became of it. One change at a ' +
  'time for each: 409 `invalid_state`, reason `action_in_progress`, else. Refused attempts are in the ledger and the audit log, too.';

const refusals = [
  'invalid_state',
  'meta_connection_required',
  'meta_write_permission_missing',
  'connection_not_ready',
  'provider_error',
  'not_implemented',
] as const;

const platformId = (of: string) =>
  z.object({ id: z.string().min(1).max(200).describe(`The platform’s id of the ${of}.`) });
const written = {
  chapter,
  access,
  idempotency: 'required',
  answers: { 200: { schema: data(AdActionAnswer) } },
} as const;
const simple = { schema: z.strictObject(options).meta({ examples: [{}, { dry_run: true }] }), optional: true } as const;
const unchanged = { outcome: ['dry_run'] } as const;

const availability = z.strictObject({
  available: z.boolean(),
  reason: z
    .string()
    .nullable()
    .describe('Why not: the code that the call would answer, or the reason of its `invalid_state`.'),
});

export const readCampaignStatus = route({
  id: 'readCampaignStatus',
  method: 'GET',
  path: '/api/v1/campaigns/{id}/status',
  summary: 'How a campaign stands at its platform, and what a pause would do',
  reveals: { days: 'any', people: 'none', costs: true },
  chapter,
  access: { ...access, credentials: ['api_key', 'app', 'session', 'mcp'] },
  params: platformId('campaign'),
  query: z.object({ connection_id: connectionId }),
  ids: { id: 'platform_campaign', connection_id: 'connection' },
  // An invalid campaign id is answered like an unknown one.
  refusedAs: { id: 'campaign_not_found' },
  answers: {
    200: {
      schema: data(
        z
          .strictObject({
            campaign_id: Uuid.describe('Our id.'),
            connection_id: Uuid.describe('The account that changes go through: the one that reported the campaign.'),
            external_id: z.string(),
            platform: z.string(),
            name: z.string(),
            status: z.string().describe('As the platform says it now.'),
            currency: CurrencyCode,
            daily_budget: DecimalString.nullable(),
            daily_budget_minor: MinorUnits.nullable(),
            affected_ads_count: Count.describe('Running ads that a pause would stop.'),
            affected_ads: z
              .array(z.strictObject({ external_id: z.string(), name: z.string() }))
              .describe('Of these the first 100, as the last sync told them.'),
            recent_daily_spend: z
              .array(z.strictObject({ date: CalendarDate, spend: DecimalString, currency: CurrencyCode }))
              .describe('Of the last seven days that were told, the newest first.'),
            actions: z.strictObject({ pause: availability, resume: availability }),
            confirm_token: z
              .string()
              .describe('Stands for what this answer says. Token and action together make a good Idempotency-Key.'),
          })
          .meta({ id: 'CampaignStatus' }),
      ),
    },
  },
  refusals: ['campaign_not_found', ...refusals],
});

export const pauseCampaign = route({
  ...written,
  id: 'pauseCampaign',
  method: 'POST',
  reveals: { days: 'any', people: 'none', costs: true },
  path: '/api/v1/campaigns/{id}/pause',
  summary: 'Pause a campaign',
  description: `One write on the campaign; its ads keep their own status. ${common}`,
  audit: { action: 'campaign.paused', of: 'campaign:{params.id}', unchanged },
  params: platformId('campaign'),
  ids: { id: 'platform_campaign', connection_id: 'connection' },
  // An invalid campaign id is answered like an unknown one.
  refusedAs: { id: 'campaign_not_found' },
  body: simple,
  refusals: ['campaign_not_found', 'campaign_not_pausable', ...refusals],
});

export const resumeCampaign = route({
  ...written,
  id: 'resumeCampaign',
  method: 'POST',
  reveals: { days: 'any', people: 'none', costs: true },
  path: '/api/v1/campaigns/{id}/resume',
  summary: 'Resume a campaign',
  description: `Takes back a pause of ours, which \`undoes_action_id\` then names. Ads that were paused on their own stay paused. ${common}`,
  audit: { action: 'campaign.resumed', of: 'campaign:{params.id}', unchanged },
  params: platformId('campaign'),
  ids: { id: 'platform_campaign', connection_id: 'connection' },
  // An invalid campaign id is answered like an unknown one.
  refusedAs: { id: 'campaign_not_found' },
  body: simple,
  refusals: ['campaign_not_found', 'campaign_not_resumable', ...refusals],
});

export const pauseAd = route({
  ...written,
  id: 'pauseAd',
  method: 'POST',
  reveals: { days: 'any', people: 'none', costs: true },
  path: '/api/v1/ads/{id}/pause',
  summary: 'Pause an ad',
  description: common,
  audit: { action: 'ad.paused', of: 'ad:{params.id}', unchanged },
  params: platformId('ad'),
  ids: { id: 'platform_ad', connection_id: 'connection' },
  body: simple,
  refusals,
});

export const resumeAd = route({
  ...written,
  id: 'resumeAd',
  method: 'POST',
  reveals: { days: 'any', people: 'none', costs: true },
  path: '/api/v1/ads/{id}/resume',
  summary: 'Resume an ad',
  description: common,
  audit: { action: 'ad.resumed', of: 'ad:{params.id}', unchanged },
  params: platformId('ad'),
  ids: { id: 'platform_ad', connection_id: 'connection' },
  body: simple,
  refusals,
});

const budgetBody = {
  schema: z
    .strictObject({
      daily_budget_minor: z
        .int()
        .min(1)
        .max(1_000_000_000_000)
        .describe(
          'In minor units of the ad account’s currency, as ISO 4217 counts them: 2500 is 25.00 USD, or 2,500 CLP.',
        ),
      undoes: Uuid.optional().describe('The action_id of the change that this one takes back.'),
      ...options,
    })
    .meta({ examples: [{ daily_budget_minor: 2_500 }] }),
} as const;

const budgetSteps =
  `By up to ${maxChangePercent} percent of what is live, and never under ${floorMinorUnits} minor units. Taking back a change of ours may go as far ` +
  'as that change went. ';

export const readAdSetStatus = route({
  id: 'readAdSetStatus',
  method: 'GET',
  path: '/api/v1/adsets/{id}/status',
  summary: 'The live status and daily budget of an ad set',
  description: 'Read from the platform at this moment, so that a new budget can be computed from the live one.',
  reveals: { days: 'any', people: 'none', costs: true },
  chapter,
  access: { ...access, credentials: ['api_key', 'app', 'session', 'mcp'] },
  params: platformId('ad set'),
  query: z.object({ connection_id: connectionId }),
  ids: { id: 'platform_ad_set', connection_id: 'connection' },
  answers: {
    200: {
      schema: data(
        z
          .strictObject({
            ad_set_id: Uuid.describe('Our id.'),
            external_id: z.string(),
            platform: z.string(),
            name: z.string(),
            status: z.string().describe('The status at the platform now.'),
            currency: CurrencyCode,
            daily_budget: DecimalString.nullable(),
            daily_budget_minor: MinorUnits.nullable(),
            actions: z
              .strictObject({ budget: availability.describe('Whether the budget can be changed here.') })
              .describe('What can be done with the ad set.'),
          })
          .meta({ id: 'AdSetStatus', description: 'An ad set as it is at the platform now.' }),
      ),
    },
  },
  refusals,
});

export const updateCampaignBudget = route({
  ...written,
  id: 'updateCampaignBudget',
  method: 'POST',
  reveals: { days: 'any', people: 'none', costs: true },
  path: '/api/v1/campaigns/{id}/budget',
  summary: 'Change the daily budget of a campaign',
  description:
    `For campaigns that hold the budget themselves: Google Ads, and campaign budgets of Meta. ${budgetSteps}` +
    '409 `invalid_state`: reason `budget_not_on_campaign` if its ad sets hold the budgets, `campaign_not_editable` if it is archived, or ' +
    `\`platform_limit\`, with \`retry_at\`. ${common}`,
  audit: { action: 'campaign.budget_changed', of: 'campaign:{params.id}', unchanged },
  params: platformId('campaign'),
  ids: { id: 'platform_campaign', connection_id: 'connection' },
  // An invalid campaign id is answered like an unknown one.
  refusedAs: { id: 'campaign_not_found' },
  body: budgetBody,
  refusals: ['campaign_not_found', 'budget_change_out_of_bounds', ...refusals],
});

export const updateAdSetBudget = route({
  ...written,
  id: 'updateAdSetBudget',
  method: 'POST',
  reveals: { days: 'any', people: 'none', costs: true },
  path: '/api/v1/adsets/{id}/budget',
  summary: 'Change the daily budget of an ad set',
  description:
    `${budgetSteps}409 \`invalid_state\`: reason \`budget_not_on_ad_set\` where the budget is the campaign’s, or \`platform_limit\`, with ` +
    `\`retry_at\`, before a change that the platform would answer with an hour’s block. ${common}`,
  audit: { action: 'ad_set.budget_changed', of: 'ad_set:{params.id}', unchanged },
  params: platformId('ad set'),
  ids: { id: 'platform_ad_set', connection_id: 'connection' },
  body: budgetBody,
  refusals: ['adset_not_editable', 'budget_change_out_of_bounds', ...refusals],
});

const UrlTagChange = z
  .strictObject({
    ad_external_id: z.string(),
    result: z.enum(urlTagResults),
    reason: z.string().nullable().describe('Why it was skipped or refused: a word of ours, or `platform_refused`.'),
    provider_message: z.string().nullable().describe('The platform’s own words.'),
    action: AdActionAnswer.nullable(),
  })
  .meta({ id: 'UrlTagChange' });

const { maxAds } = limits.urlTags;

export const applyUrlTags = route({
  id: 'applyUrlTags',
  method: 'POST',
  path: '/api/v1/quality/ad-ids/url-tags/apply',
  summary: 'Write our URL parameters onto ads',
  description:
    `Up to ${maxAds} ads that GET /quality/ad-ids lists. Each keeps its own tags and gets campaign_id, adset_id and ad_id; on Meta that is a new ` +
    'creative in the place of the old one, which the platform reviews and may learn anew. An ad that cannot be changed costs the others ' +
    'nothing. A repeated key goes on where the first request ended.',
  reveals: { days: 'any', people: 'none', costs: true },
  chapter,
  access,
  audit: { action: 'url_tags.applied', of: 'profile:{caller.profileId}', unchanged },
  body: {
    schema: z
      .strictObject({
        ad_ids: z
          .array(z.string().min(1).max(200))
          .min(1)
          .max(maxAds, `may hold up to ${maxAds} ads`)
          .describe('The platform’s ids.'),
        acknowledge_learning_reset: z.literal(true, { error: 'must be true: the platform may begin to learn anew' }),
        ...options,
        applied_by: Uuid.optional().describe(
          'The member of the workspace who decided it. May be left out by the app that set the profile up (then it is the workspace’s owner) and ' +
            'by a session.',
        ),
      })
      .meta({ examples: [{ ad_ids: ['120210123456'], acknowledge_learning_reset: true }] }),
  },
  ids: { connection_id: 'connection' },
  idempotency: 'required',
  answers: {
    200: {
      schema: data(z.strictObject({ outcome: z.enum(actionOutcomes), ads: z.array(UrlTagChange) })),
    },
  },
  refusals,
});

export const undoUrlTags = route({
  ...written,
  id: 'undoUrlTags',
  method: 'POST',
  reveals: { days: 'any', people: 'none', costs: true },
  path: '/api/v1/quality/ad-ids/url-tags/undo',
  summary: 'Give an ad its former creative back',
  description: `Takes the latest change of tags back that is not taken back yet; 409 \`invalid_state\`, reason \`nothing_to_undo\`, where there is none. ${common}`,
  audit: { action: 'url_tags.undone', of: 'profile:{caller.profileId}', unchanged },
  ids: { connection_id: 'connection' },
  body: {
    schema: z
      .strictObject({ ad_id: z.string().min(1).max(200).describe('The platform’s id.'), ...options })
      .meta({ examples: [{ ad_id: '120210123456' }] }),
  },
  refusals,
});
