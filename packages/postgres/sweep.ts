import { sql } from 'kysely';
import type { Ledger } from './ledger.ts';

const batchSize = 5_000;

/** Rows of a table that are older than a time, and the columns that name one. */
export interface Sweep {
  readonly table: string;
  readonly key: readonly string[];
  /** The column that says how old a row is. */
  readonly age: string;
  readonly before: Date;
}

/** Deletes old rows a batch at a time, so that no transaction grows with the table. Resolves to how many. */
export async function sweep(ledger: Ledger, { table, key, age, before }: Sweep, signal: AbortSignal): Promise<number> {
  const [name, columns, old] = [sql.table(table), sql.join(key.map((column) => sql.ref(column))), sql.ref(age)];
  let total = 0;
  while (!signal.aborted) {
    const { rows } = await ledger.transaction((tx) =>
      sql`
        DELETE FROM ${name} WHERE (${columns}) IN (SELECT ${columns} FROM ${name} WHERE ${old} < ${before} LIMIT ${batchSize})
        RETURNING 1`.execute(tx),
    );
    total += rows.length;
    if (rows.length < batchSize) break;
  }
  return total;
}

/** A table whose rows have an end (`expires_at`), and the columns that name one. */
export type Expiring = Pick<Sweep, 'table' | 'key'>;

/** Deletes what has run out. What ends at this very moment has ended. */
export async function sweepExpired(
  ledger: Ledger,
  tables: readonly Expiring[],
  now: Date,
  signal: AbortSignal,
): Promise<number> {
  const before = new Date(now.getTime() + 1);
  let total = 0;
  for (const rows of tables) total += await sweep(ledger, { ...rows, age: 'expires_at', before }, signal);
  return total;
}
