import type { ClickHouseSettings as EngineSettings } from '@clickhouse/client';
import type { Clock } from '@tributary/clock';

/** All that a process must know of ClickHouse. The same value serves the client, the migrations and the tests. */
export interface ClickHouseSettings {
  /** One node, or a load balancer before several. */
  readonly url: string;
  readonly database: string;
  readonly username?: string;
  readonly password?: string;
  /** Absent on a single node. */
  readonly cluster?: Cluster;
  /** After this a request is given up, here and in the engine. Long work (a replay, an export) opens a client with more. */
  readonly requestTimeoutMs?: number;
  readonly clock?: Clock;
  /** Told of every request when it ends; logs and metrics hang here. */
  readonly observe?: (observation: Observation) => void;
}

export interface Cluster {
  /** As in the engine's own `remote_servers`. */
  readonly name: string;
  /** The HTTP address of every node: each replica of each shard. Migrations and mutations go to all of them. */
  readonly nodes: readonly string[];
  /** Whether shards have replicas; the nodes then need Keeper and the macros `shard` and `replica`. */
  readonly replicated?: boolean;
}

export interface Observation {
  /** The query's name, `insert TABLE`, or `raw`. */
  readonly statement: string;
  /** The engine's own log knows the request by this. */
  readonly queryId: string;
  readonly durationMs: number;
  readonly error?: Error;
}

export const defaultRequestTimeoutMs = 30_000;

/** What the engine is told with every request, whatever its own defaults are: those changed between 25.8 and 26.7. */
export function engineSettings({
  cluster,
  requestTimeoutMs = defaultRequestTimeoutMs,
}: ClickHouseSettings): EngineSettings {
  return { ...always, ...(cluster && onCluster), max_execution_time: Math.ceil(requestTimeoutMs / 1000) };
}

const always = {
  // JSON.parse would round both: money in minor units, revisions and counts arrive as strings, exact.
  output_format_json_quote_decimals: 1,
  output_format_json_quote_64bit_integers: 1,
  // 2026-01-02T03:04:05.678Z. The engine's own form has no zone, and `new Date()` would read it as local time.
  date_time_output_format: 'iso',
  // The same form back: what JSON.stringify makes of a Date.
  date_time_input_format: 'best_effort',
  // A misspelt column is an error, not a value that silently goes nowhere.
  input_format_skip_unknown_fields: 0,
  // Our writer batches, so the engine's own batching (on by default since 26) would only make each insert wait for its
  // timer. Whoever turns it on for one insert still hears back after the write, not before.
  async_insert: 0,
  wait_for_async_insert: 1,
  // Visits of more than 100 partitions in one batch mean that somebody's clock is wrong; refusing them would refuse the
  // neighbours in the batch too, at every redelivery.
  throw_on_max_partitions_per_insert_block: 0,
} as const satisfies EngineSettings & Record<string, unknown>;

/** Everything is sharded by profile, so a profile's rows of all tables lie on one shard. */
const onCluster = {
  // An insert is answered when the shards have the rows; by default it is when this node has queued them.
  distributed_foreground_insert: 1,
  // A query for one profile asks the one shard that holds it.
  optimize_skip_unused_shards: 1,
  // A join or IN between two of our tables is made on each shard, where both sides are.
  distributed_product_mode: 'local',
  // Otherwise the engine would send an INSERT ... SELECT to the shards as it stands, and find no tables there but the outer ones.
  parallel_distributed_insert_select: '0',
} as const satisfies EngineSettings & Record<string, unknown>;

/** The address as it may be shown: one in the settings may hold a password. */
export function shown(url: string): string {
  return new URL(url).host;
}
