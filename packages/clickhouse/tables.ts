/** What may be inserted, by table. A timestamp is an ISO string or a Date; '' stands for "there was none". */
export interface Tables {
  visits: VisitRow;
  touches: TouchRow;
  attribution_conversions: Readonly<Record<string, unknown>>;
  attribution_links: Readonly<Record<string, unknown>>;
  attribution_touches: Readonly<Record<string, unknown>>;
  ad_entities: Readonly<Record<string, unknown>>;
  ad_delivery_daily: Readonly<Record<string, unknown>>;
  ad_delivery_history: Readonly<Record<string, unknown>>;
  schema_migrations: { readonly name: string; readonly checksum: string; readonly applied_at: Date };
}

export type TableName = keyof Tables;

/** migrations/0001_visits.sql says what each column means and why it is there. */
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
  readonly city: string;
}

/** migrations/0002_touches.sql says what each column means. The ids of entities that are not known are the nil UUID. */
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
}
