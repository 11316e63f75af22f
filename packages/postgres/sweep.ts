import { dayMs } from '@tributary/vocabulary';
import { type RetentionPolicy, retentionPolicies, type Swept } from '@tributary/vocabulary/retention.ts';
import { sql } from 'kysely';
import type { Ledger } from './ledger.ts';

const batchSize = 5_000;

type Table = keyof typeof retentionPolicies.postgres;
const tables: Readonly<Record<Table, RetentionPolicy>> = retentionPolicies.postgres;

/** A run that deletes expired rows. */
export interface Sweeper {
  /** The system role's ledger, which reads only the key and time columns of a row. */
  readonly ledger: Ledger;
  readonly now: Date;
  /** Retention periods that the operator configures. */
  readonly days: Readonly<Record<Extract<Swept['days'], string>, number>>;
  readonly signal: AbortSignal;
}

/** Deletes rows that exceeded their retention period, from all tables or from `only`. Resolves to the number of rows. */
export async function sweepOld({ ledger, now, days, signal }: Sweeper, only?: readonly Table[]): Promise<number> {
  let total = 0;
  for (const [table, life] of chosen(only)) {
    if (life.ends !== 'swept') continue;
    const lifeDays = typeof life.days === 'number' ? life.days : days[life.days];
    const before = new Date(now.getTime() - lifeDays * dayMs);
    for (const age of life.age) total += await sweep(ledger, { table, key: life.key, age, before }, signal);
  }
  return total;
}

/** Deletes rows whose `expires_at` has passed, including those that expire at this very moment. */
export async function sweepExpired(
  { ledger, now, signal }: Omit<Sweeper, 'days'>,
  only?: readonly Table[],
): Promise<number> {
  const before = new Date(now.getTime() + 1);
  let total = 0;
  for (const [table, life] of chosen(only))
    if (life.ends === 'expired')
      total += await sweep(ledger, { table, key: life.key, age: 'expires_at', before }, signal);
  return total;
}

const chosen = (only: readonly Table[] = Object.keys(tables) as Table[]) =>
  only.map((table) => [table, tables[table]] as const);

/** Deletes the rows of a table that are older than `before`. */
interface Sweep {
  readonly table: string;
  readonly key: readonly string[];
  /** The column that holds the age of a row. */
  readonly age: string;
  readonly before: Date;
}

/** Deletes in batches, so that transactions do not grow with the table. */
async function sweep(ledger: Ledger, { table, key, age, before }: Sweep, signal: AbortSignal): Promise<number> {
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
