export { type BatchWriter, type BatchWriterOptions, createBatchWriter } from './batch-writer.ts';
export { type CallOptions, type ClickHouse, createClickHouse, type InsertOptions } from './client.ts';
export {
  appliedMigrations,
  type CopiedPartition,
  cloneTables,
  compareMigrations,
  hasRows,
  migrationsOf,
} from './copy-tables.ts';
export { deleteProfileRows } from './delete-profile-rows.ts';
export { dropOldVisits } from './drop-old-visits.ts';
export { dropPartition } from './drop-partition.ts';
export {
  type ClearedRows,
  erasePeople,
  type PeopleToClear,
  type PersonTable,
  type PersonTables,
} from './erase-people.ts';
export { ClickHouseFailure, isTransient } from './failure.ts';
export { loadPartitions } from './load-tables.ts';
export { type MigrateOptions, type MigrationReport, migrate } from './migrate.ts';
export { connectEveryNode } from './nodes.ts';
export { type Parameters, type QueryName, type RawQuery, type Row, raw } from './queries.ts';
export type { CreditOwners, Moment } from './report-queries.ts';
export { dumpSchema } from './schema.ts';
export type { ClickHouseSettings, Cluster, Observation } from './settings.ts';
export { clickhouseSettings } from './settings-of.ts';
export type { AdScoreRow, TableName, Tables, TouchRow, VisitRow } from './tables.ts';
export { systemTimers, type Timers } from './timers.ts';
