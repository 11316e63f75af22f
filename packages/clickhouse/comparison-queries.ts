import type { EntityLevel } from '@tributary/vocabulary';
import { declare } from './declare.ts';
import type { Credits, Moment } from './report-queries.ts';

/**
 * Queries of the reconciliation: ClickHouse rows to compare with the ledger, and report credit to compare with
 * ClickHouse rows.
 */
export const comparisonQueries = {
  conversion_first: declare<{ profile_id: string; from: Date; until: Date }, { day: string; conversions: string }>(),
  conversion_list_compared: declare<
    ConversionGroups & { buckets: readonly number[]; limit: number },
    { conversion_id: string; bucket: number; money: string; definition_id: string; is_off: number }
  >(),
  conversion_list_groups: declare<
    ConversionGroups & { marked: readonly number[]; since: Date },
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

/** Conversions of a period, grouped by day and by bucket of ids. */
type ConversionGroups = {
  readonly profile_id: string;
  readonly from: Date;
  readonly until: Date;
  readonly time_zone: string;
  readonly buckets_of_day: number;
};
