import { ClickHouseError } from '@clickhouse/client';

/** A failed request, with the query id under which ClickHouse logged it. */
export class ClickHouseFailure extends Error {
  override readonly name = 'ClickHouseFailure';
  readonly statement: string;
  readonly queryId: string;
  /** The ClickHouse error name, such as UNKNOWN_TABLE; undefined when the server never answered. */
  readonly type: string | undefined;
  readonly transient: boolean;

  /**
   * `isReadOnly`: the request was sent as read-only, so a READONLY error is caused by the query and not by the
   * server's state.
   */
  constructor(statement: string, queryId: string, cause: unknown, { isReadOnly = false } = {}) {
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    super(`ClickHouse, ${statement} (query id ${queryId}): ${reason}`, { cause });
    this.statement = statement;
    this.queryId = queryId;
    this.type = cause instanceof ClickHouseError ? cause.type : undefined;
    this.transient = isTransient(cause) && !(isReadOnly && this.type === 'READONLY');
  }
}

/** Errors after which the same request may succeed a little later. */
const transientTypes: ReadonlySet<string> = new Set([
  // The server is starting, stopping or overloaded.
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
  // The server only allows reads.
  'READONLY',
  'TABLE_IS_READ_ONLY',
  // The server lost its data or its tables are being created. Migrations create everything our statements name, which
  // tests verify.
  'NO_SUCH_COLUMN_IN_TABLE',
  'UNKNOWN_DATABASE',
  'UNKNOWN_IDENTIFIER',
  'UNKNOWN_TABLE',
  // Another part of the cluster is unavailable.
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
 * Whether a retry is sensible. An error that does not come from ClickHouse (connection refused or reset, timeout, a
 * proxy's 502) says nothing about the request, so a retry is.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof ClickHouseFailure) return error.transient;
  return error instanceof ClickHouseError ? transientTypes.has(error.type ?? '') : true;
}
