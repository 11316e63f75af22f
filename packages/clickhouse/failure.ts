import { ClickHouseError } from '@clickhouse/client';

/** A request that failed, with the words to find it in the engine's log. */
export class ClickHouseFailure extends Error {
  override readonly name = 'ClickHouseFailure';
  readonly statement: string;
  readonly queryId: string;
  /** The engine's name of the error, such as UNKNOWN_TABLE; undefined when it never answered. */
  readonly type: string | undefined;
  readonly transient: boolean;

  constructor(statement: string, queryId: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    super(`ClickHouse, ${statement} (query id ${queryId}): ${reason}`, { cause });
    this.statement = statement;
    this.queryId = queryId;
    this.type = cause instanceof ClickHouseError ? cause.type : undefined;
    this.transient = isTransient(cause);
  }
}

/** What the engine says when the same request may well succeed a little later. */
const transientTypes: ReadonlySet<string> = new Set([
  'ABORTED',
  'ALL_CONNECTION_TRIES_FAILED',
  'ALL_REPLICAS_ARE_STALE',
  'ATTEMPT_TO_READ_AFTER_EOF',
  'CANNOT_ALLOCATE_MEMORY',
  'CANNOT_SCHEDULE_TASK',
  'DISTRIBUTED_TOO_MANY_PENDING_BYTES',
  'KEEPER_EXCEPTION',
  'MEMORY_LIMIT_EXCEEDED',
  'NETWORK_ERROR',
  'NOT_ENOUGH_SPACE',
  'NO_ZOOKEEPER',
  'QUERY_WAS_CANCELLED',
  'SERVER_OVERLOADED',
  'SOCKET_TIMEOUT',
  'TABLE_IS_READ_ONLY',
  'TIMEOUT_EXCEEDED',
  'TOO_FEW_LIVE_REPLICAS',
  'TOO_MANY_PARTS',
  'TOO_MANY_SIMULTANEOUS_QUERIES',
  'UNKNOWN_STATUS_OF_INSERT',
]);

/**
 * Whether trying again is sensible. An error that is not the engine's own verdict (refused, reset, timed out, a proxy's 502)
 * says nothing about the request, so it is.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof ClickHouseFailure) return error.transient;
  return error instanceof ClickHouseError ? transientTypes.has(error.type ?? '') : true;
}
