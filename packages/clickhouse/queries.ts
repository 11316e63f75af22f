import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { declare } from './declare.ts';
import { reportQueries } from './report-queries.ts';
import type { VisitRow } from './tables.ts';

/**
 * Every query file with what it takes and gives. An instant is passed as a Date (the engine does not read ISO strings in
 * parameters); 64-bit integers and Decimals come back as strings.
 */
export const catalogue = {
  ...reportQueries,
  attribution_attribute: declare<
    AttributionBatch & {
      target: 'attribution_results' | 'attributed_conversions';
      bucket: number;
      hour_weights: readonly number[];
      minute_weights: readonly number[];
    },
    never
  >(),
  attribution_exists: declare<{ profile_id: string }, { exists: number }>(),
  attribution_apply: declare<AttributionResults, never>(),
  attribution_bury: declare<AttributionBatch, never>(),
  attribution_bury_unknown: declare<AttributionBatch & { cause: string }, never>(),
  attribution_keep_history: declare<AttributionResults, never>(),
  attribution_size: declare<{ profile_id: string }, { touches: string }>(),
  attribution_staged: declare<{ profile_id: string; batch_id: string }, { bucket: number; conversions: string }>(),
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
  migration_list_applied: declare<NoParameters, { name: string; checksum: string }>(),
  profile_table_list: declare<NoParameters, { name: string }>(),
  profile_read_state: declare<
    { profile_id: string },
    { visits: string; touches: string; newest_received_at: string | null }
  >(),
  table_list: declare<NoParameters, { name: string; engine: string; definition: string }>(),
  table_read_state: declare<NoParameters, { name: string; parts: string; pending_mutations: string }>(),
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
  visit_list_recent: declare<
    {
      profile_id: string;
      since: Date;
      before_at: Date;
      before_id: string;
      event_type: string;
      channel: string;
      include_bots: boolean;
      limit: number;
    },
    Omit<VisitRow, 'profile_id' | 'occurred_at' | 'received_at'> & { occurred_at: string; received_at: string }
  >(),
};

type AttributionResults = { readonly profile_id: string; readonly version: string };
type AttributionBatch = AttributionResults & { readonly batch_id: string };

type NoParameters = Record<string, never>;

export type QueryName = keyof typeof catalogue;

/** A query with a file, by its name; or one without. */
export type Query = QueryName | RawQuery<unknown>;

/** Values for the `{name:Type}` in a query. */
export type Parameters<Asked extends Query> = Asked extends infer Name extends QueryName
  ? (typeof catalogue)[Name]['parameters']
  : Readonly<Record<string, unknown>>;

export type Row<Asked extends Query> = Asked extends infer Name extends QueryName
  ? (typeof catalogue)[Name]['row']
  : Asked extends RawQuery<infer Result>
    ? Result
    : never;

export const queryFolder = join(import.meta.dirname, 'queries');
const partFolder = join(import.meta.dirname, 'parts');

const texts = new Map<QueryName, string>();

/**
 * Under which name a query is logged, and its text; a file is read once. `{{part NAME}}` stands for parts/NAME.sql: what several
 * queries must mean alike, like who earned what, is written once.
 */
export function lookUp(query: Query): { name: string; text: string } {
  if (typeof query !== 'string') return { name: 'raw', text: query.sql };
  let text = texts.get(query);
  if (text === undefined) {
    text = readFileSync(join(queryFolder, `${query}.sql`), 'utf8').replaceAll(
      /\{\{part (\w+)\}\}/g,
      (_, part: string) => readFileSync(join(partFolder, `${part}.sql`), 'utf8').trimEnd(),
    );
    texts.set(query, text);
  }
  return { name: query, text };
}

/** SQL that has no file: for tests, benches and tools. What the service asks has a name and a file. */
export interface RawQuery<Result> {
  readonly sql: string;
  /** Only the type is there. */
  readonly row?: Result;
}

export function raw<Result = Record<string, unknown>>(sql: string): RawQuery<Result> {
  return { sql };
}
