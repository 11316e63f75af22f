import type pg from 'pg';
import { PatientPool } from './health-checked-pool.ts';
import { connectionTo } from './servers.ts';

export interface PoolOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly statementTimeoutMs?: number | undefined;
  /** A longer snapshot is aborted: while it is open, vacuum cannot remove rows that were deleted since it began. */
  readonly snapshotTimeoutMs?: number | undefined;
  readonly onError?: ((error: Error) => void) | undefined;
  /** One of several ledger servers: each transaction first checks whether its tenant moved to another server. */
  readonly isShard?: boolean;
  /** Statements are sent without waiting for the answers to earlier ones. */
  readonly isPipelined?: boolean;
}

export function openPool(options: PoolOptions): pg.Pool {
  const { url, poolSize, statementTimeoutMs = 30_000, onError = () => {}, isPipelined = false } = options;
  const pool = new PatientPool({
    ...connectionTo(url),
    max: poolSize,
    pipeline: isPipelined,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: statementTimeoutMs,
    // A handler that hangs must not keep its locks.
    idle_in_transaction_session_timeout: statementTimeoutMs * 2,
    // For a new profile the planner has no statistics and expects many rows; JIT compilation would take longer than such statements run.
    options: '-c jit=off',
  });
  // An idle connection that breaks is replaced at its next use; without a listener the event would end the process.
  pool.on('error', onError);
  // A connection that breaks while in use makes its query reject; without a listener the event would end the process.
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}
