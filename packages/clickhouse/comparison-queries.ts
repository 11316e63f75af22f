import type { EntityLevel } from '@tributary/vocabulary';
import { declare } from './declare.ts';
import type { Credits, Moment } from './report-queries.ts';

/** What reconciliation asks: what the columns hold, to be held against the ledger, and what reports give away, to be held against the columns. */
export const comparisonQueries = {
  conversion_first: declare<{ profile_id: string; from: Date; until: Date }, { day: string; conversions: string }>(),
  conversion_list_compared: declare<
    Groups & { buckets: readonly number[]; limit: number },
    { conversion_id: string; bucket: number; money: string; definition_id: string; is_off: number }
  >(),
  conversion_list_groups: declare<
    Groups & { marked: readonly number[]; since: Date },
    {
      bucket: number;
      definition_id: string;
      conversions: string;
      money: string;
      settled_conversions: string;
      settled_money: string;
      sum: string;
      off: number;
      moving: [id: string, money: string, is_off: number][];
    }
  >(),
  report_compare: declare<
    Moment & { profile_id: string; level: 'campaign'; from: Date; until: Date },
    { model: string; level: EntityLevel; credited: string; uncredited: string; is_unworked: number }
  >(),
  report_compare_days: declare<Credits & { time_zone: string }, { day: string; credited: string; value: string }>(),
};

/** Conversions of a period by day and groups of ids. */
type Groups = {
  readonly profile_id: string;
  readonly from: Date;
  readonly until: Date;
  readonly time_zone: string;
  readonly buckets_of_day: number;
};
