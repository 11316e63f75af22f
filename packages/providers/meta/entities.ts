import { z } from 'zod';
import type { AdCreative, EntityRecord } from '../provider.ts';
import { readAs } from '../read-answer.ts';
import { parseAudience, Targeting } from './audience.ts';
import { fromMetaUnits } from './money.ts';

const Budget = z
  .string()
  .regex(/^\d{0,18}$/)
  .optional();

const Campaign = z.object({
  id: z.string(),
  name: z.string().optional(),
  objective: z.string().optional(),
  status: z.string().optional(),
  daily_budget: Budget,
});
const AdSet = z.object({
  id: z.string(),
  name: z.string().optional(),
  campaign_id: z.string(),
  status: z.string().optional(),
  daily_budget: Budget,
  learning_stage_info: z.object({ status: z.string().optional() }).optional(),
  targeting: Targeting.optional(),
});
export const Creative = z.object({
  id: z.string(),
  title: z.string().optional(),
  body: z.string().optional(),
  thumbnail_url: z.string().optional(),
  video_id: z.string().optional(),
  url_tags: z.string().optional(),
  call_to_action_type: z.string().optional(),
  object_type: z.string().optional(),
  object_story_spec: z
    .object({
      link_data: z.object({ child_attachments: z.array(z.unknown()).optional() }).optional(),
      video_data: z.object({ video_id: z.string().optional() }).optional(),
    })
    .optional(),
  asset_feed_spec: z.unknown().optional(),
  effective_object_story_id: z.string().optional(),
});
export type Creative = z.infer<typeof Creative>;
const Ad = z.object({
  id: z.string(),
  name: z.string().optional(),
  adset_id: z.string(),
  campaign_id: z.string(),
  status: z.string().optional(),
  creative: Creative.optional(),
});

export const creativeFields =
  'id,name,title,body,thumbnail_url,video_id,url_tags,object_story_spec,asset_feed_spec,call_to_action_type,object_type,effective_object_story_id';

const everyStatus = ['ACTIVE', 'PAUSED', 'DELETED', 'ARCHIVED', 'IN_PROCESS', 'WITH_ISSUES'];

/**
 * One edge of an ad account: its query and the parser of its rows. Without the list of statuses, archived entities would be left
 * out.
 */
interface Edge {
  readonly fields: string;
  readonly statuses: readonly string[];
  /** Rows per request; creatives make ads heavy. */
  readonly limit: number;
  parse(row: unknown, currency: string): EntityRecord;
}

const edge = <T>(
  row: z.ZodType<T>,
  of: Omit<Edge, 'parse'> & { parse: (row: T, currency: string) => EntityRecord },
): Edge => ({ ...of, parse: (raw, currency) => of.parse(readAs(row, raw, 'row'), currency) });

export const edges = {
  campaigns: edge(Campaign, {
    fields: 'id,name,objective,status,effective_status,daily_budget,lifetime_budget,updated_time',
    statuses: everyStatus,
    limit: 500,
    parse: (row, currency) => ({
      kind: 'entity',
      level: 'campaign',
      externalId: row.id,
      currency,
      ...commonFields(row),
      ...(row.objective !== undefined && { objective: row.objective }),
      ...budgetOf(row.daily_budget, currency),
    }),
  }),
  adsets: edge(AdSet, {
    fields:
      'id,name,campaign_id,status,effective_status,daily_budget,lifetime_budget,optimization_goal,destination_type,learning_stage_info,targeting,updated_time',
    statuses: [...everyStatus, 'CAMPAIGN_PAUSED'],
    limit: 500,
    parse: (row, currency) => ({
      kind: 'entity',
      level: 'ad_set',
      externalId: row.id,
      campaignId: row.campaign_id,
      currency,
      ...commonFields(row),
      ...budgetOf(row.daily_budget, currency),
      ...(row.learning_stage_info?.status !== undefined && { learningStage: row.learning_stage_info.status }),
      ...(row.targeting && { audience: parseAudience(row.targeting) }),
    }),
  }),
  ads: edge(Ad, {
    fields: `id,name,adset_id,campaign_id,status,effective_status,creative{${creativeFields}},updated_time`,
    statuses: [
      ...everyStatus,
      'CAMPAIGN_PAUSED',
      'ADSET_PAUSED',
      'PENDING_REVIEW',
      'DISAPPROVED',
      'PREAPPROVED',
      'PENDING_BILLING_INFO',
    ],
    limit: 200,
    parse: (row, currency) => ({
      kind: 'entity',
      level: 'ad',
      externalId: row.id,
      campaignId: row.campaign_id,
      adSetId: row.adset_id,
      currency,
      ...commonFields(row),
      ...(row.creative && { format: formatOf(row.creative), creative: parseCreative(row.creative) }),
    }),
  }),
} as const satisfies Record<string, Edge>;
export type EdgeName = keyof typeof edges;
export const edgeNames: readonly EdgeName[] = ['campaigns', 'adsets', 'ads'];

/** `status` is set by the owner; `effective_status` also reflects the parents, which are read separately. */
const commonFields = ({ name, status }: { name?: string | undefined; status?: string | undefined }) => ({
  ...(name !== undefined && { name }),
  ...(status !== undefined && { status }),
});

/** Absent or "0": the campaign has the budget, or it is a lifetime budget. */
export const budgetOf = (units: string | undefined, currency: string): { dailyBudget?: string } =>
  units === undefined || /^0*$/.test(units) ? {} : { dailyBudget: fromMetaUnits(units, currency) };

function formatOf(creative: Creative): string {
  const story = creative.object_story_spec;
  if (creative.video_id !== undefined || story?.video_data || creative.object_type === 'VIDEO') return 'video';
  if ((story?.link_data?.child_attachments?.length ?? 0) > 1) return 'carousel';
  return creative.asset_feed_spec === undefined ? 'static' : 'other';
}

export function parseCreative(creative: Creative): AdCreative {
  const videoId = creative.video_id ?? creative.object_story_spec?.video_data?.video_id;
  return {
    externalId: creative.id,
    ...(creative.title !== undefined && { title: creative.title }),
    ...(creative.body !== undefined && { body: creative.body }),
    ...(creative.thumbnail_url !== undefined && { thumbnailUrl: creative.thumbnail_url }),
    ...(videoId !== undefined && { videoId }),
    ...(creative.url_tags !== undefined && { urlTags: creative.url_tags }),
    ...(creative.call_to_action_type !== undefined && { callToAction: creative.call_to_action_type }),
  };
}
