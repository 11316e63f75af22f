import { dayMs } from '@tributary/vocabulary';
import { type Life, lives, type Swept } from '@tributary/vocabulary/retention.ts';
import { sql } from 'kysely';
import type { Ledger } from './ledger.ts';

const batchSize = 5_000;

type Table = keyof typeof lives.postgres;
const tables: Readonly<Record<Table, Life>> = lives.postgres;

/** What is swept when: by a time in one of the table's columns. */
export interface Sweeper {
  /** The system's: it sees of a row its key and its times. */
  readonly ledger: Ledger;
  readonly now: Date;
  /** Lives that the operator sets. */
  readonly days: Readonly<Record<Extract<Swept['days'], string>, number>>;
  readonly signal: AbortSignal;
}

/** Deletes rows that are past their life, of all tables or of some. Resolves to how many. */
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

/** Deletes rows whose `expires_at` is over. What ends at this very moment has ended. */
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

/** Rows of a table that are older than a time, and the columns that name one. */
interface Sweep {
  readonly table: string;
  readonly key: readonly string[];
  /** The column that says how old a row is. */
  readonly age: string;
  readonly before: Date;
}

/** A batch at a time, so that no transaction grows with the table. */
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
