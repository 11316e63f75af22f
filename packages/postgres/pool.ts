import type pg from 'pg';
import { PatientPool } from './patient-pool.ts';
import { connectionTo } from './servers.ts';

export interface PoolOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly statementTimeoutMs?: number | undefined;
  /** A snapshot that takes longer is given up: while it lasts PostgreSQL can clear nothing that was deleted since. */
  readonly snapshotTimeoutMs?: number | undefined;
  readonly onError?: ((error: Error) => void) | undefined;
  /** One of several servers of the ledger: before anything is done for a tenant it is asked whether it has gone to another. */
  readonly isShard?: boolean;
  /** Statements do not wait for the answers to those before them. */
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
    // Of a new profile the planner knows nothing and expects many rows: compiling takes longer than such statements run.
    options: '-c jit=off',
  });
  // An idle connection that breaks is replaced at its next use; unheard, the event would end the process.
  pool.on('error', onError);
  // The same for one that breaks while it is at work: its query fails by itself, the event would still end the process.
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}
