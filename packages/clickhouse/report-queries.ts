import type { AttributionModel, DeliveryColumn, EntityLevel } from '@tributary/vocabulary';
import { declare } from './declare.ts';
import type { TouchRow } from './tables.ts';

/**
 * Queries of reports. In lists, pass moments as text without T and Z, because ClickHouse uses the primary key only
 * for that form. Unknown entities have the nil UUID; money amounts are exact, as text.
 */
export const reportQueries = {
  attributed_list: declare<AttributedDays, { conversion_id: string }>(),
  attributed_sum: declare<AttributedDays, { rows: string; conversions: string; payments: string; cash: string[] }>(),
  change_list_causes: declare<
    ChangeQuery,
    { cause: string; only_ref: string; conversions: string; difference: string }
  >(),
  change_list_steps: declare<
    ChangeQuery & { cause: string; before_at: Date; before_id: string; before_cause: string; limit: number },
    {
      at: string;
      conversion_id: string;
      conversion_time: string;
      cause: string;
      ref: string;
      before: string;
      after: string;
    }
  >(),
  cohort_list: declare<
    Credits & { time_zone: string; after_month: string; after_id: string; limit: number },
    {
      month: string;
      entity_id: string;
      name: string;
      external_id: string;
      customers: string;
      total: string;
      months: [month: string, customers: string, payments: string, value: string][];
    }
  >(),
  conversion_list_paths: declare<
    Moment & {
      profile_id: string;
      model: AttributionModel;
      from: Date;
      until: Date;
      times: readonly string[];
      ids: readonly string[];
    },
    {
      conversion_id: string;
      conversion_time: string;
      conversion_type: string;
      revenue_type: string;
      value: string;
      has_value: boolean;
      currency: string;
      is_first_payment: boolean;
      lookback_days: number;
      person_id: string;
      is_anonymous: boolean;
      touch_count: number;
      touch_ids: string[];
      touch_times: string[];
      source_ids: string[];
      credits: string[];
    }
  >(),
  delivery_list_counted: declare<
    CountedDelivery & { after_day: string; after_id: string; limit: number },
    {
      day: string;
      entity_id: string;
      name: string;
      currency: string;
      rate: string;
      amount: string;
      contributes: string;
    }
  >(),
  delivery_list_currencies: declare<Days & Moment, { currency: string }>(),
  delivery_list_days: declare<
    Delivery & { entity_ids: readonly string[] },
    { entity_id: string; day: string; spend: string; is_spend_unknown: number; impressions: string; clicks: string }
  >(),
  delivery_list_platforms: declare<
    Delivery,
    {
      platform: string;
      through: string;
      spend: string;
      is_spend_unknown: number;
      platform_conversions: string | null;
      platform_value: string | null;
    }
  >(),
  delivery_list_told: declare<
    Delivery,
    { platform: string; day: string; currency: string; spend: string; rows: string }
  >(),
  delivery_list_without_rate: declare<
    Delivery,
    { currency: string; days: string; amount: string; value_days: string; platform_value: string }
  >(),
  delivery_sum_counted: declare<
    CountedDelivery,
    { days: string; contributes: string | null; without_rate: string; with_rate: string }
  >(),
  entity_find_clicked: declare<
    { profile_id: string; level: EntityLevel; external_id: string },
    { entity_id: string }
  >(),
  entity_list_names: declare<
    Moment & { profile_id: string; entity_ids: readonly string[] },
    {
      entity_id: string;
      platform: string;
      external_id: string;
      name: string;
      status: string;
      objective: string;
      currency: string;
      daily_budget: string | null;
      /** Nil when unknown. */
      connection_id: string;
      learning_stage_status: string;
      campaign_id: string;
      ad_set_id: string;
      is_told: boolean;
    }
  >(),
  report_list_credits: declare<
    FilteredCredits & { before_at: Date; before_id: string; limit: number },
    { conversion_time: string; conversion_id: string; credit: string; path_length: string }
  >(),
  report_list_entities: declare<
    Credits &
      Delivery & {
        only: string;
        /** Selects the part `listed_<scope>`, such as parts/listed_all.sql. */
        scope: 'all' | 'parent' | 'account' | 'account_parent';
        parent: string;
        below_value: string;
        after_id: string;
        limit: number;
      },
    {
      entity_id: string;
      conversions: string;
      payments: string;
      first_payments: string;
      value: string;
      /** Payments whose value is known. */
      valued: string;
      by_type: [type: string, conversions: string][];
      spend: string;
      is_spend_unknown: number;
      impressions: string;
      clicks: string;
      reach: string | null;
      conversations: string | null;
      platform_conversions: string | null;
      platform_value: string | null;
    }
  >(),
  report_list_cash_parts: declare<Credits, { owner_id: string; platform: string; millionths: string }>(),
  report_list_platforms: declare<
    Credits,
    { platform: string; conversions: string; payments: string; value: string; valued: string }
  >(),
  report_list_values: declare<Credits & { entity_ids: readonly string[] }, { entity_id: string; value: string }>(),
  report_read_overview: declare<
    Moment & { profile_id: string; time_zone: string; from: Date; until: Date },
    {
      day: string;
      conversion_type: string;
      channel: string;
      /** 1 for a row of a day, 0 for a row of a channel. */
      is_of_day: number;
      conversions: string;
      payments: string;
      value: string;
      valued: string;
    }
  >(),
  report_read_unattributed: declare<
    Credits,
    {
      conversion_type: string;
      conversions: string;
      payments: string;
      first_payments: string;
      partly_credited: string;
      value: string;
      valued: string;
    }
  >(),
  report_sum_credits: declare<FilteredCredits, { conversions: string; credit: string; without_rate: string }>(),
  source_find_entities: declare<
    Moment & { profile_id: string; level: EntityLevel; entity_ids: readonly string[] },
    { entity_id: string; platform: string }
  >(),
  source_list: declare<
    Moment & { profile_id: string; level: EntityLevel; source_ids: readonly string[] },
    {
      source_id: string;
      channel: string;
      source: string;
      medium: string;
      platform: string;
      entity_id: string;
      campaign_external_id: string;
      ad_set_external_id: string;
      ad_external_id: string;
      campaign_name: string;
      ad_set_name: string;
      ad_name: string;
    }
  >(),
  touch_count_ad_ids: declare<
    { profile_id: string; from: Date; to: Date; channels: readonly string[] },
    { platform: string; touches: string; with_ad: string; with_campaign: string }
  >(),
  touch_count_of_ads: declare<
    { profile_id: string; from: Date; to: Date; ad_ids: readonly string[] },
    { ad_id: string; touches: string }
  >(),
  touch_list_left_out: declare<
    {
      profile_id: string;
      times: readonly string[];
      ids: readonly string[];
      visitor_ids: readonly string[];
      person_ids: readonly string[];
      limit: number;
    },
    { conversion_id: string; touch_id: string; occurred_at: string; channel: string; kin: string }
  >(),
  touch_list_of_visitors: declare<
    { profile_id: string; visitor_ids: readonly string[]; since: Date; until: Date; limit: number },
    Omit<TouchRow, 'profile_id' | 'occurred_at' | 'kind' | 'join_method' | 'country' | 'device'> & {
      at: string;
      click_mark: string;
    }
  >(),
};

/**
 * The moment for which figures are computed: now, or an earlier `as_of` for results and delivery. `entities_as_of`
 * selects the state of campaigns, ad sets and ads; it differs when a query splits a change by cause.
 */
export type Moment =
  | { readonly moment: 'now' }
  | { readonly moment: 'then'; readonly as_of: Date; readonly entities_as_of: Date };

/** parts/attributed_rows.sql */
type AttributedDays = Moment & { profile_id: string; level: EntityLevel; from: Date; until: Date };

type Days = { readonly profile_id: string; readonly first_day: string; readonly last_day: string };

/** parts/delivered.sql */
export type Delivery = Days &
  Moment & {
    readonly level: EntityLevel;
    /** The reporting currency. */
    readonly currency: string;
  } & {
    readonly [Chunk in `rates_${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16}`]: readonly string[];
  };

/** parts/counted_delivery.sql */
type CountedDelivery = Delivery & {
  readonly field: DeliveryColumn;
  readonly is_everything: boolean;
  readonly entity_id: string;
  /** Empty: all platforms. */
  readonly platform: string;
  readonly scope: 'all' | 'account';
} & Accounts;

/** parts/owned.sql */
export type CreditOwners = 'entities' | 'platforms' | 'unassigned' | 'channels' | 'accounts';

/**
 * parts/entities_of_accounts.sql: the connections of an account. Required by the owners and the scope that name an
 * account.
 */
type Accounts = { readonly accounts?: readonly string[] };

/** parts/credits_single.sql and parts/credits_multiple.sql */
export type Credits = Moment & CreditsOfPeriod;

type CreditsOfPeriod = {
  readonly profile_id: string;
  readonly level: EntityLevel;
  readonly model: AttributionModel;
  readonly from: Date;
  readonly until: Date;
  readonly owners: CreditOwners;
} & Accounts;

/** parts/chosen_credits.sql */
type FilteredCredits = Credits & CreditFilter;

/** parts/change_steps.sql */
type ChangeQuery = CreditsOfPeriod &
  CreditFilter & {
    readonly moment: 'between';
    readonly changed_since: Date;
    readonly as_of: Date;
    readonly entities_as_of: Date;
    /** True: compare the value of conversions; false: compare their number. */
    readonly is_value: boolean;
  };

type CreditFilter = {
  readonly is_everything: boolean;
  readonly entity_id: string;
  /** The name of a platform or channel, when those are the owners. */
  readonly owner_name: string;
  /** Only conversions that are credited to this owner alone. */
  readonly is_whole: boolean;
  readonly is_cash: boolean;
  readonly is_pipeline: boolean;
  readonly is_new_purchase: boolean;
  readonly conversion_type: string;
};
