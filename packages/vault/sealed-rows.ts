import type { Ledger, Tx } from '@tributary/postgres';
import { type RawBuilder, sql } from 'kysely';
import { type SecretPlace, tryOpen, type Vault } from './vault.ts';

/** A column of PostgreSQL that holds secrets. Its owner says where in a seal its rows stand; a test holds the list of all against the schema. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The columns that name a row, in the order of its primary key. */
  readonly key: readonly [owner: string, row: string];
  place(owner: string, row: string | Buffer): SecretPlace;
}

const batchSize = 1_000;

interface SealedRow {
  readonly owner: string;
  readonly row: string | Buffer;
  readonly sealed: Buffer;
}

/** The key under which a secret was sealed stands in its head: a version, the length of the id, the id. Broken bytes have none. */
const keyOf = (column: string): RawBuilder<string> => {
  const sealed = sql.ref(column);
  return sql<string>`CASE WHEN octet_length(${sealed}) > 2
    THEN encode(substring(${sealed} from 3 for get_byte(${sealed}, 1)), 'escape') ELSE '' END`;
};

/** Rows that were sealed under another key than this, in the order of their keys. As the owner of the schema, over all profiles. */
async function readOlder(ledger: Ledger, at: SealedColumn, newest: string, after?: SealedRow): Promise<SealedRow[]> {
  const [owner, row] = at.key.map((column) => sql.ref(column));
  const { rows } = await ledger.transaction((tx) =>
    sql<SealedRow>`
      SELECT ${owner} AS owner, ${row} AS row, ${sql.ref(at.column)} AS sealed FROM ${sql.table(at.table)}
      WHERE ${sql.ref(at.column)} IS NOT NULL AND ${keyOf(at.column)} <> ${newest}
        ${after ? sql`AND (${owner}, ${row}) > (${after.owner}, ${after.row})` : sql``}
      ORDER BY ${owner}, ${row} LIMIT ${batchSize}`.execute(tx),
  );
  return rows;
}

export interface Rewrapped {
  readonly rewrapped: number;
  /** What no key opens: it stays as it is. */
  readonly unreadable: number;
}

/**
 * Wraps the data keys of all rows under the newest key, a batch after the other, so that the older ones can be retired. Whoever
 * interrupts it goes on from there: what is done is not read again. A row that changed meanwhile was sealed under the newest anyway.
 */
export async function rewrapRows(
  ledger: Ledger,
  columns: readonly SealedColumn[],
  vault: Vault,
  newest: string,
  progress: (table: string, done: number) => void = () => {},
): Promise<Rewrapped> {
  let [rewrapped, unreadable] = [0, 0];
  for (const at of columns) {
    const [owner, row] = at.key.map((column) => sql.ref(column));
    let done = 0;
    for (let last: SealedRow | undefined; ; ) {
      const rows: SealedRow[] = await readOlder(ledger, at, newest, last);
      last = rows.at(-1);
      if (!last) break;
      const changed = rows.flatMap((one) => {
        const fresh = tryOpen(() => vault.rewrap(one.sealed, at.place(one.owner, one.row)));
        return fresh ? [{ ...one, fresh }] : [];
      });
      const isHash = Buffer.isBuffer(last.row);
      await ledger.transaction((tx) =>
        sql`
          UPDATE ${sql.table(at.table)} t SET ${sql.ref(at.column)} = fresh
          FROM unnest(${changed.map((one) => one.owner)}::uuid[], ${changed.map((one) => one.row)}::${sql.raw(isHash ? 'bytea' : 'uuid')}[],
            ${changed.map((one) => one.sealed)}::bytea[], ${changed.map((one) => one.fresh)}::bytea[]) AS c (o, r, old, fresh)
          WHERE t.${owner} = c.o AND t.${row} = c.r AND t.${sql.ref(at.column)} = c.old`.execute(tx),
      );
      rewrapped += changed.length;
      unreadable += rows.length - changed.length;
      done += rows.length;
      progress(at.table, done);
    }
  }
  return { rewrapped, unreadable };
}

/** How many rows of each table are sealed under another key than this; tables without any are not named. */
async function countOlder(
  tx: Tx,
  columns: readonly SealedColumn[],
  newest: string,
): Promise<[table: string, rows: number][]> {
  const counts: [string, number][] = [];
  for (const { table, column } of columns) {
    const { rows } = await sql<{ n: string }>`
      SELECT count(*) AS n FROM ${sql.table(table)}
      WHERE ${sql.ref(column)} IS NOT NULL AND ${keyOf(column)} <> ${newest}`.execute(tx);
    counts.push([table, Number(rows[0]?.n ?? 0)]);
  }
  return counts.filter(([, rows]) => rows > 0);
}

/** Processes look at the ring every half minute; one that has not yet looked still seals under an older key. */
const settledAfterMs = 60_000;

/** Why the older keys of the envelope are still needed, in the operator's words; undefined where they are not. */
export async function whyNotRetire(tx: Tx, columns: readonly SealedColumn[], now: Date): Promise<string | undefined> {
  const newest = await tx
    .selectFrom('key_ring')
    .select(['id', 'created_at'])
    .where('purpose', '=', 'envelope')
    .where('retired_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .executeTakeFirst();
  if (!newest) return undefined;
  const counts = await countOlder(tx, columns, newest.id);
  if (counts.length > 0) {
    const total = counts.reduce((sum, [, rows]) => sum + rows, 0);
    const tables = counts.map(([table, rows]) => `${table} ${rows}`).join(', ');
    return `${total} rows are sealed under an older key (${tables}) and could be read no longer. Run "tributary keys rewrap-rows" first.`;
  }
  if (now.getTime() - newest.created_at.getTime() < settledAfterMs)
    return 'The newest key is less than a minute old, and a process may still seal under the one before. Try again in a minute.';
  return undefined;
}
