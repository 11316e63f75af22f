import { ClickHouseError } from '@clickhouse/client';

/** A request that failed, with the words to find it in the engine's log. */
export class ClickHouseFailure extends Error {
  override readonly name = 'ClickHouseFailure';
  readonly statement: string;
  readonly queryId: string;
  /** The engine's name of the error, such as UNKNOWN_TABLE; undefined when it never answered. */
  readonly type: string | undefined;
  readonly transient: boolean;

  /** `isQuestion`: the engine was told to change nothing, so that a READONLY is about what we asked, not about how it stands. */
  constructor(statement: string, queryId: string, cause: unknown, { isQuestion = false } = {}) {
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    super(`ClickHouse, ${statement} (query id ${queryId}): ${reason}`, { cause });
    this.statement = statement;
    this.queryId = queryId;
    this.type = cause instanceof ClickHouseError ? cause.type : undefined;
    this.transient = isTransient(cause) && !(isQuestion && this.type === 'READONLY');
  }
}

/** What the engine says when the same request may well succeed a little later. */
const transientTypes: ReadonlySet<string> = new Set([
  // It starts, stops, or has too much to do.
  'ABORTED',
  'ASYNC_LOAD_CANCELED',
  'ASYNC_LOAD_FAILED',
  'ASYNC_LOAD_WAIT_FAILED',
  'CANNOT_SCHEDULE_TASK',
  'QUERY_WAS_CANCELLED',
  'QUOTA_EXCEEDED',
  'SERVER_OVERLOADED',
  'TIMEOUT_EXCEEDED',
  'TOO_MANY_PARTS',
  'TOO_MANY_SIMULTANEOUS_QUERIES',
  // Out of memory or disk.
  'CANNOT_ALLOCATE_MEMORY',
  'CANNOT_FSYNC',
  'CANNOT_WRITE_TO_FILE_DESCRIPTOR',
  'MEMORY_LIMIT_EXCEEDED',
  'NOT_ENOUGH_SPACE',
  // It may be read and not written.
  'READONLY',
  'TABLE_IS_READ_ONLY',
  // It has lost its data, or its tables are being made: what our statements name is made by a migration, which tests hold.
  'NO_SUCH_COLUMN_IN_TABLE',
  'UNKNOWN_DATABASE',
  'UNKNOWN_IDENTIFIER',
  'UNKNOWN_TABLE',
  // Another part of the cluster is away.
  'ALL_CONNECTION_TRIES_FAILED',
  'ALL_REPLICAS_ARE_STALE',
  'ATTEMPT_TO_READ_AFTER_EOF',
  'DISTRIBUTED_TOO_MANY_PENDING_BYTES',
  'DNS_ERROR',
  'KEEPER_EXCEPTION',
  'NETWORK_ERROR',
  'NO_ZOOKEEPER',
  'REPLICA_STATUS_CHANGED',
  'SOCKET_TIMEOUT',
  'TOO_FEW_LIVE_REPLICAS',
  'UNKNOWN_STATUS_OF_INSERT',
  'UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE',
]);

/**
 * Whether trying again is sensible. An error that is not the engine's own verdict (refused, reset, timed out, a proxy's 502)
 * says nothing about the request, so it is.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof ClickHouseFailure) return error.transient;
  return error instanceof ClickHouseError ? transientTypes.has(error.type ?? '') : true;
}
