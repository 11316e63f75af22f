import type pg from 'pg';
import { openPool, type PoolOptions } from './pool.ts';

/** Asks the listed functions that look something up before any wall is known, and whatever else stands behind none. */
export interface LookUps {
  lookUp<Row>(statement: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** For a process that writes nothing and must stay small: no ledger, and nothing that builds queries. */
export function openLookUps(options: PoolOptions): LookUps & { close(): Promise<void> } {
  const pool = openPool(options);
  return { ...lookUpsOf(pool), close: () => pool.end() };
}

export const lookUpsOf = (pool: pg.Pool): LookUps => ({
  async lookUp<Row>(statement: string, values: readonly unknown[] = []) {
    const { rows } = await pool.query(statement, [...values]);
    return rows as Row[];
  },
});
