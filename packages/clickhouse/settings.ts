import type { ClickHouseSettings as EngineSettings } from '@clickhouse/client';
import type { Clock } from '@tributary/clock';

/** Connection settings of ClickHouse, shared by the client, the migrations and the tests. */
export interface ClickHouseSettings {
  /** One node, or a load balancer in front of several. */
  readonly url: string;
  readonly database: string;
  readonly username?: string;
  readonly password?: string;
  /** Absent for a single node. */
  readonly cluster?: Cluster;
  /**
   * Requests are aborted after this time, here and in ClickHouse. Long work (a replay, an export) opens a client with
   * a longer timeout.
   */
  readonly requestTimeoutMs?: number;
  readonly clock?: Clock;
  /** Called for every request when it ends; used for logs and metrics. */
  readonly observe?: (observation: Observation) => void;
}

export interface Cluster {
  /** As in ClickHouse's `remote_servers`. */
  readonly name: string;
  /** The HTTP address of every node: each replica of each shard. Migrations and mutations run on all of them. */
  readonly nodes: readonly string[];
  /** Whether shards have replicas. The nodes then need Keeper and the macros `shard` and `replica`. */
  readonly replicated?: boolean;
}

export interface Observation {
  /** The query's name, `insert TABLE`, or `raw`. */
  readonly statement: string;
  /** The id of the request in ClickHouse's own log. */
  readonly queryId: string;
  readonly durationMs: number;
  readonly error?: Error;
}

export const defaultRequestTimeoutMs = 30_000;

/** Settings sent with every request, independent of the server's defaults, which changed between 25.8 and 26.7. */
export function engineSettings({
  cluster,
  requestTimeoutMs = defaultRequestTimeoutMs,
}: ClickHouseSettings): EngineSettings {
  return { ...commonSettings, ...(cluster && clusterSettings), max_execution_time: Math.ceil(requestTimeoutMs / 1000) };
}

const commonSettings = {
  // JSON.parse would round both: money in minor units, revisions and counts are returned as exact strings.
  output_format_json_quote_decimals: 1,
  output_format_json_quote_64bit_integers: 1,
  // 2026-01-02T03:04:05.678Z. ClickHouse's default format has no zone, and `new Date()` would read it as local time.
  date_time_output_format: 'iso',
  // Accepts the same format in inserts: the output of JSON.stringify for a Date.
  date_time_input_format: 'best_effort',
  // A misspelt column is an error; by default its value is dropped silently.
  input_format_skip_unknown_fields: 0,
  // Our writer batches already, so ClickHouse's batching (on by default since 26) would only delay each insert by its
  // timer. If it is turned on for one insert, the response still comes after the write.
  async_insert: 0,
  wait_for_async_insert: 1,
  // Visits of more than 100 partitions in one batch mean a wrong clock somewhere. Refusing the batch would also
  // refuse the correct visits in it, at every redelivery.
  throw_on_max_partitions_per_insert_block: 0,
} as const satisfies EngineSettings & Record<string, unknown>;

/** Everything is sharded by profile, so a profile's rows of all tables are on one shard. */
const clusterSettings = {
  // Answer an insert when the shards have the rows; by default the node answers when it has queued them.
  distributed_foreground_insert: 1,
  // Send a query for one profile only to the shard that has it.
  optimize_skip_unused_shards: 1,
  // Run a join or IN between two of our tables on each shard, where both sides are.
  distributed_product_mode: 'local',
  // Otherwise ClickHouse would forward an INSERT ... SELECT to the shards unchanged, where the inner tables do not
  // exist.
  parallel_distributed_insert_select: '0',
} as const satisfies EngineSettings & Record<string, unknown>;

/** The host of a URL for display: the URL may contain a password. */
export function hostOf(url: string): string {
  return new URL(url).host;
}
