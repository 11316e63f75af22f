import type pg from 'pg';
import { openPool, type PoolOptions } from './pool.ts';
import { isOutdated, onceMore, PreparedNames } from './prepared.ts';

/** Calls the listed look-up functions, which run before a tenant scope is known, and reads other data without a tenant scope. */
export interface LookUps {
  lookUp<Row>(statement: string, values?: readonly unknown[]): Promise<Row[]>;
}

export const ledgerTimeSql = 'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms';

/** For a process that writes nothing and must stay small: it loads neither the ledger nor the query builder. */
export function openLookUps(options: PoolOptions): LookUps & { close(): Promise<void> } {
  const pool = openPool(options);
  return { ...lookUpsOf(pool, new PreparedNames()), close: () => pool.end() };
}

export const lookUpsOf = (pool: pg.Pool, names: PreparedNames): LookUps => ({
  lookUp: <Row>(text: string, values: readonly unknown[] = []) =>
    onceMore(async () => {
      try {
        const name = names.nameOf(text, values);
        const { rows } = await pool.query({ ...(name && { name }), text, values: [...values] });
        return rows as Row[];
      } catch (error) {
        if (isOutdated(error)) names.forget(text);
        throw error;
      }
    }),
});
