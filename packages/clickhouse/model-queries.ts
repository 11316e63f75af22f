import type { EntityLevel, FittedModel } from '@tributary/vocabulary';
import { declare } from './declare.ts';
import type { Moment } from './report-queries.ts';

/** Queries of the fitted models. Amounts are minor units as text. */
export const modelQueries = {
  model_count_people: declare<Period, { people: string }>(),
  model_list_changed: declare<{ from: Date; until: Date; least: number }, { profile_id: string; changed_at: string }>(),
  model_list_entities: declare<
    Credited & { only: string; below_value: string; after_id: string; limit: number },
    {
      entity_id: string;
      value: string;
      purchases: string;
      first_touch_value: string;
      last_touch_value: string;
      doubt: number;
      units: string[];
      by_part: string[];
      name: string;
      external_id: string;
    }
  >(),
  model_list_histories: declare<
    Period & { batch_id: string; share: number; most: number },
    { at: number[]; source_ids: string[]; bought_at: number[] }
  >(),
  model_list_paths: declare<
    Period,
    {
      conversion_time: string;
      conversion_id: string;
      value: string;
      lookback_days: number;
      source_ids: string[];
      ages: number[];
      part: number;
    }
  >(),
  model_list_sources: declare<
    Period & Moment & { level: EntityLevel; limit: number },
    { source_id: string; campaign_id: string; channel: string; purchases: string }
  >(),
  model_list_units: declare<
    Credited & { limit: number },
    {
      unit: string;
      credit: string;
      credit_of_period: string;
      most_channel: string;
      campaign_id: string;
      ad_set_id: string;
      campaign_name: string;
    }
  >(),
  model_read_anyway: declare<
    Period & { fit_id: string; fitted_model: FittedModel },
    { of_all: string; of_some: string }
  >(),
  model_read_change: declare<Period, { changed_at: string }>(),
  model_read_purchases: declare<Period, { purchases: string; value: string; seen: string }>(),
  model_sum_credits: declare<
    Credited,
    {
      purchases: string;
      total: string;
      to_entities: string;
      to_others: string;
      would_have_come: string;
      without_touch: string;
    }
  >(),
};

type Period = { readonly profile_id: string; readonly from: Date; readonly until: Date };
type Credited = Period &
  Moment & {
    readonly fit_id: string;
    readonly fitted_model: FittedModel;
    readonly level: EntityLevel;
    /** Ads and ad sets that had an experiment of their own. */
    readonly tested: readonly string[];
    /** Units whose credit is multiplied by `times`, and the relative error `doubts` of that credit, by position. */
    readonly units: readonly string[];
    readonly times: readonly number[];
    readonly doubts: readonly number[];
  };
