/**
 * The rows that may be inserted, by table. A timestamp is an ISO string or a Date; '' means that there is no value.
 */
export interface Tables {
  visits: VisitRow;
  touches: TouchRow;
  attribution_conversions: Readonly<Record<string, unknown>>;
  attribution_links: Readonly<Record<string, unknown>>;
  attribution_touches: Readonly<Record<string, unknown>>;
  ad_entities: Readonly<Record<string, unknown>>;
  ad_delivery_daily: Readonly<Record<string, unknown>>;
  ad_delivery_history: Readonly<Record<string, unknown>>;
  ad_scores: AdScoreRow;
  model_credits: ModelCreditRow;
  schema_migrations: { readonly name: string; readonly checksum: string; readonly applied_at: Date };
}

export type TableName = keyof Tables;

/** migrations/0001_visits.sql documents each column. */
export interface VisitRow {
  readonly profile_id: string;
  readonly visitor_id: string;
  readonly visit_id: string;
  readonly session_id: string;
  readonly is_session_start: boolean;
  readonly occurred_at: string | Date;
  readonly received_at: string | Date;
  readonly event_type: string;
  readonly event_name: string;
  readonly is_bot: boolean;
  readonly channel: string;
  readonly source: string;
  readonly medium: string;
  readonly platform: string;
  readonly campaign_external_id: string;
  readonly ad_set_external_id: string;
  readonly ad_external_id: string;
  readonly click_id_kind: string;
  readonly utm_source: string;
  readonly utm_medium: string;
  readonly utm_campaign: string;
  readonly utm_term: string;
  readonly utm_content: string;
  readonly utm_id: string;
  readonly url: string;
  readonly path: string;
  readonly referrer: string;
  readonly referrer_host: string;
  readonly device: string;
  readonly browser: string;
  readonly os: string;
  readonly country: string;
  readonly region: string;
  readonly city: string;
}

/** migrations/0002_touches.sql documents each column. Unknown entities have the nil UUID. */
export interface TouchRow {
  readonly profile_id: string;
  readonly visitor_id: string;
  readonly occurred_at: string | Date;
  readonly touch_id: string;
  readonly kind: string;
  readonly session_id: string;
  readonly channel: string;
  readonly source: string;
  readonly medium: string;
  readonly platform: string;
  readonly campaign_id: string;
  readonly ad_set_id: string;
  readonly ad_id: string;
  readonly click_id_kind: string;
  readonly join_method: string;
  readonly country: string;
  readonly device: string;
  /** migrations/0009_click_marks.sql documents it. A 64-bit integer, as text. */
  readonly click_mark?: string;
}

/** migrations/0028_model_credits.sql documents each column. Amounts are minor units. */
export interface ModelCreditRow {
  readonly profile_id: string;
  readonly fit_id: string;
  readonly conversion_time: string;
  readonly conversion_id: string;
  readonly part: number;
  readonly value: string;
  readonly source_ids: readonly string[];
  readonly credits: Readonly<Record<string, readonly string[]>>;
  readonly anyway: Readonly<Record<string, string>>;
}

/** migrations/0006_scores.sql documents each column. Counts and amounts are strings. */
export interface AdScoreRow {
  readonly profile_id: string;
  readonly score_window: string;
  readonly ad_id: string;
  readonly version: number;
  readonly objective: string;
  readonly format: string;
  readonly has_video: boolean;
  readonly composite_score: number | null;
  readonly likelihood: number;
  readonly maturity_stage: string;
  readonly truth_grade: string;
  readonly outcome_kind: string;
  readonly cohort_key: string;
  readonly cohort_objective: string;
  readonly cohort_format: string;
  readonly cohort_warmth: string;
  readonly cohort_size: number;
  readonly reason_codes: string;
  readonly engagement: number | null;
  readonly spend: string;
  readonly impressions: string;
  readonly clicks: string;
  readonly outcomes: string;
  readonly cash_outcomes: string;
  readonly revenue: string;
  readonly pipeline_outcomes: string;
  readonly pipeline_value: string;
  readonly platform_conversions: string | null;
  readonly platform_value: string | null;
  readonly conversations: string | null;
  readonly first_replies: string | null;
  readonly traits_key: string;
  readonly video_views: string | null;
  readonly messaging_outcomes: string;
  readonly outcomes_of_best_day: string;
}

/** Column order for tables with many inserts, where rows are sent as arrays without column names. */
export const columns: { readonly [Table in 'visits' | 'touches']: readonly (keyof Tables[Table])[] } = {
  visits: allOf<VisitRow>({
    profile_id: true,
    visitor_id: true,
    visit_id: true,
    session_id: true,
    is_session_start: true,
    occurred_at: true,
    received_at: true,
    event_type: true,
    event_name: true,
    is_bot: true,
    channel: true,
    source: true,
    medium: true,
    platform: true,
    campaign_external_id: true,
    ad_set_external_id: true,
    ad_external_id: true,
    click_id_kind: true,
    utm_source: true,
    utm_medium: true,
    utm_campaign: true,
    utm_term: true,
    utm_content: true,
    utm_id: true,
    url: true,
    path: true,
    referrer: true,
    referrer_host: true,
    device: true,
    browser: true,
    os: true,
    country: true,
    region: true,
    city: true,
  }),
  touches: allOf<TouchRow>({
    profile_id: true,
    visitor_id: true,
    occurred_at: true,
    touch_id: true,
    kind: true,
    session_id: true,
    channel: true,
    source: true,
    medium: true,
    platform: true,
    campaign_id: true,
    ad_set_id: true,
    ad_id: true,
    click_id_kind: true,
    join_method: true,
    country: true,
    device: true,
    click_mark: true,
  }),
};

/** Fails to compile when a column is missing. */
function allOf<Row>(named: { readonly [Column in keyof Row]-?: true }): (keyof Row)[] {
  return Object.keys(named) as (keyof Row)[];
}
