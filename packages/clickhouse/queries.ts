import { join } from 'node:path';
import type { MultipleModel, SingleModel } from '@tributary/vocabulary';
import { assemble, defaultSources, type QuerySources, readOnce } from './assemble.ts';
import { comparisonQueries } from './comparison-queries.ts';
import { declare } from './declare.ts';
import { modelQueries } from './model-queries.ts';
import { type Credits, type Delivery, reportQueries } from './report-queries.ts';
import type { AdScoreRow, TouchRow, VisitRow } from './tables.ts';

/**
 * Every query file with its parameters and its row. Pass an instant as a Date, because ClickHouse does not parse ISO
 * strings in parameters. 64-bit integers and Decimals are returned as strings.
 */
export const catalogue = {
  ...comparisonQueries,
  ...modelQueries,
  ...reportQueries,
  ad_list_figures: declare<Credits & Delivery & { time_zone: string; limit: number }, AdFiguresRow>(),
  ad_list_cohort: declare<
    { profile_id: string; score_window: string; cohort_key: string },
    Omit<AdScoreRow, 'profile_id' | 'version'>
  >(),
  ad_list_rate_days: declare<Days & { currency: string; limit: number }, { currency: string; day: string }>(),
  ad_list_scores: declare<
    {
      profile_id: string;
      score_window: string;
      min_spend: string;
      objectives: readonly string[];
      truth_grades: readonly string[];
      outcome_kinds: readonly string[];
      formats: readonly string[];
      has_video: readonly boolean[];
      limit: number;
    },
    Omit<AdScoreRow, 'profile_id' | 'version'>
  >(),
  ad_read_score: declare<
    { profile_id: string; score_window: string; ad_id: string },
    Omit<AdScoreRow, 'profile_id' | 'version'>
  >(),
  attribution_attribute: declare<
    AttributionBatch &
      Applied & {
        target: 'attribution_results' | 'attributed_conversions';
        /** People whose hash lies between these two, out of 65,536. */
        first_bucket: number;
        last_bucket: number;
        hour_weights: readonly number[];
        minute_weights: readonly number[];
        /** Known devices, in the order of the numbers that encode them; at most three. */
        devices: readonly string[];
        /** The maximum number of touches on a path. */
        path_touches: number;
        same_click_ms: number;
        /** The medium that marks a touch declared by the customer. */
        declared_medium: string;
        /** The version of each fitted model. */
        model_versions: Readonly<Record<string, number>>;
      },
    never
  >(),
  attribution_exists: declare<{ profile_id: string }, { exists: number }>(),
  attribution_apply: declare<AttributionResults & Applied, never>(),
  attribution_bury: declare<AttributionBatch, never>(),
  attribution_bury_unknown: declare<
    AttributionBatch & { profile_id: string; cause: string; cause_ref: string },
    never
  >(),
  attribution_list_credited: declare<
    AttributionResults & { found_in: 'attribution_results' | 'attributed_conversions'; profile_ids: readonly string[] },
    { profile_id: string; definition_id: string }
  >(),
  attribution_keep_history: declare<AttributionResults & Applied, never>(),
  attribution_keep_links: declare<{ batch_id: string; from_batch_id: string }, never>(),
  attribution_size: declare<{ profile_id: string }, { touches: string; memory: string }>(),
  attribution_staged: declare<
    { profile_id: string; batch_id: string; buckets: number },
    { nth: number; conversions: string; last_hash: number }
  >(),
  conversion_read_touches: declare<
    { profile_id: string; conversion_times: readonly number[]; conversion_ids: readonly string[] },
    {
      conversion_id: string;
      touch_count: number;
      country: string;
      device: string;
      first_touch_at: string | null;
      channels: string[];
      source: string;
    }
  >(),
  entity_keep_history: declare<
    { profile_id: string; entity_ids: readonly string[]; versions: readonly string[]; replaced_at: readonly string[] },
    never
  >(),
  journey_list_visit_times: declare<JourneyPart & { limit: number }, { events: string; times: number[] }>(),
  journey_list_visits: declare<
    JourneyPart & { limit: number; offset: number },
    Omit<VisitRow, 'profile_id' | 'is_bot' | 'occurred_at' | 'received_at'> & {
      occurred_at: string;
      received_at: string;
    }
  >(),
  journey_list_visitless_touch_times: declare<JourneyPart & { limit: number }, { events: string; times: number[] }>(),
  journey_list_visitless_touches: declare<
    JourneyPart & { limit: number; offset: number },
    Omit<TouchRow, 'profile_id' | 'occurred_at'> & { occurred_at: string }
  >(),
  journey_list_touch_times: declare<JourneyPart & { limit: number }, { events: string; times: number[] }>(),
  journey_list_touches: declare<
    JourneyPart & { limit: number; offset: number },
    Pick<
      TouchRow,
      'touch_id' | 'kind' | 'channel' | 'campaign_id' | 'ad_set_id' | 'ad_id' | 'click_id_kind' | 'join_method'
    > &
      Pick<VisitRow, 'campaign_external_id' | 'ad_set_external_id' | 'ad_external_id'> & { occurred_at: string }
  >(),
  journey_read_credit: declare<
    { profile_id: string; conversion_time: Date; conversion_id: string },
    {
      value: string;
      lookback_days: number;
      touch_ids: string[];
      times: number[];
      /** For models that credit one touch: its position in the path, from 1. */
      places: Readonly<Record<SingleModel, number>>;
      /** For models that divide credit: the share of each touch. Empty while the model has not been computed. */
      shares: Readonly<Record<MultipleModel, readonly string[]>>;
    }
  >(),
  migration_list_applied: declare<NoParameters, { name: string; checksum: string }>(),
  mutation_read_pending: declare<{ mark: string }, { pending: string; failure: string }>(),
  profile_table_list: declare<NoParameters, { name: string }>(),
  profile_read_state: declare<
    { profile_id: string },
    Record<`${'visits' | 'touches'}${'' | '_parts' | '_mutations'}`, string> & { newest_received_at: string | null }
  >(),
  table_list: declare<NoParameters, { name: string; engine: string; definition: string }>(),
  visit_count: declare<{ profile_id: string; from: Date; to: Date }, { visits: string }>(),
  visit_count_daily: declare<
    {
      profile_id: string;
      time_zone: string;
      from: Date;
      to: Date;
      linked: readonly string[];
      sample_through: string;
    },
    { day: string; visits: string; bots: string; sampled: string; sampled_unmatched: string }
  >(),
  visit_list_arrivals: declare<
    { profile_id: string; visitor_ids: readonly string[]; session_ids: readonly string[] },
    Pick<
      ListedVisit,
      | 'visitor_id'
      | 'session_id'
      | 'visit_id'
      | 'occurred_at'
      | 'channel'
      | 'source'
      | 'medium'
      | 'platform'
      | 'campaign_external_id'
      | 'ad_set_external_id'
      | 'ad_external_id'
    >
  >(),
  visit_list_old_quarters: declare<{ now: Date; days: number }, { id: string }>(),
  visit_list_recent: declare<RecentVisits, ListedVisit>(),
  visit_list_recent_of_channel: declare<RecentVisits & { channel: string }, ListedVisit>(),
};

type ListedVisit = Omit<VisitRow, 'profile_id' | 'occurred_at' | 'received_at'> & {
  readonly occurred_at: string;
  readonly received_at: string;
};

type RecentVisits = {
  readonly profile_id: string;
  readonly since: Date;
  readonly before_at: Date;
  readonly before_id: string;
  readonly event_type: string;
  readonly include_bots: boolean;
  readonly limit: number;
};

type Days = { readonly profile_id: string; readonly first_day: string; readonly last_day: string };

/** Null: the platform did not report it. */
interface AdFiguresRow {
  readonly ad_id: string;
  readonly spend: string;
  readonly impressions: string;
  readonly clicks: string;
  readonly video_views: string | null;
  readonly platform_conversions: string | null;
  readonly platform_value: string | null;
  readonly conversations: string | null;
  readonly first_replies: string | null;
  readonly outcomes: string;
  readonly cash_outcomes: string;
  /** In minor units, as is pipeline_value. */
  readonly revenue: string;
  readonly pipeline_outcomes: string;
  readonly pipeline_value: string;
  readonly messaging_outcomes: string;
  readonly outcomes_of_best_day: string;
}

type AttributionResults = { readonly version: string };
/** The time from which the results are valid. */
type Applied = { readonly applied_at: Date };
type AttributionBatch = AttributionResults & { readonly batch_id: string };

/** Events of some visitors up to a moment. */
type JourneyPart = { readonly profile_id: string; readonly visitor_ids: readonly string[]; readonly until: Date };

type NoParameters = Record<string, never>;

export type QueryName = keyof typeof catalogue;

/** The name of a query file, or SQL without a file. */
export type Query = QueryName | RawQuery<unknown>;

/** Values for the `{name:Type}` placeholders in a query. */
export type Parameters<Name extends Query> = Name extends infer File extends QueryName
  ? (typeof catalogue)[File]['parameters']
  : Readonly<Record<string, unknown>>;

export type Row<Name extends Query> = Name extends infer File extends QueryName
  ? (typeof catalogue)[File]['row']
  : Name extends RawQuery<infer Result>
    ? Result
    : never;

export const queryFolder = join(import.meta.dirname, 'queries');
/** Returns the name under which a query is logged, and its text. Each file is read once. */
export function lookUp(
  query: Query,
  parameters: Readonly<Record<string, unknown>> = {},
  sources: QuerySources = defaultSources,
): { name: string; text: string } {
  if (typeof query !== 'string') return { name: 'raw', text: assemble(query.sql, parameters, sources) };
  const text = readOnce(join(queryFolder, `${query}.sql`));
  if (text === undefined) throw new Error(`The query ${query} has no file.`);
  return { name: query, text: assemble(text, parameters, sources) };
}

/** SQL without a file: for tests, benchmarks and tools. Queries of the service have a name and a file. */
export interface RawQuery<Result> {
  readonly sql: string;
  /** Exists only as a type. */
  readonly row?: Result;
}

export function raw<Result = Record<string, unknown>>(sql: string): RawQuery<Result> {
  return { sql };
}
