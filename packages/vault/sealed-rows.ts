import type { Ledger, Tx } from '@tributary/postgres';
import { type RawBuilder, sql } from 'kysely';
import { indexOfCurrent, type KeyRing } from './key-ring.ts';
import { liveKeys } from './key-store.ts';
import { KeyNotLoaded, type SecretLocation, tryOpen } from './vault.ts';

/**
 * A PostgreSQL column with secrets. Its owner defines the seal location of its rows; a test compares the list of all such columns with the
 * schema.
 */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** Columns that identify a row, in the order of its primary key. */
  readonly key: readonly [owner: string, row: string];
  place(owner: string, row: string | Buffer): SecretLocation;
}

const batchSize = 1_000;

interface SealedRow {
  readonly owner: string;
  readonly row: string | Buffer;
  readonly sealed: Buffer;
}

/** The key id of a secret, from its header: a version, the length of the id, the id. Damaged bytes have none. */
const keyOf = (column: string): RawBuilder<string> => {
  const sealed = sql.ref(column);
  return sql<string>`CASE WHEN octet_length(${sealed}) > 2
    THEN encode(substring(${sealed} from 3 for get_byte(${sealed}, 1)), 'escape') ELSE '' END`;
};

/** Rows that are sealed under other keys than these, by key order. Runs as the owner of the schema, over all profiles. */
async function readOlder(
  ledger: Ledger,
  at: SealedColumn,
  inUse: readonly string[],
  after?: SealedRow,
): Promise<SealedRow[]> {
  const [owner, row] = at.key.map((column) => sql.ref(column));
  const { rows } = await ledger.transaction((tx) =>
    sql<SealedRow>`
      SELECT ${owner} AS owner, ${row} AS row, ${sql.ref(at.column)} AS sealed FROM ${sql.table(at.table)}
      WHERE ${sql.ref(at.column)} IS NOT NULL AND ${keyOf(at.column)} <> ALL (${inUse})
        ${after ? sql`AND (${owner}, ${row}) > (${after.owner}, ${after.row})` : sql``}
      ORDER BY ${owner}, ${row} LIMIT ${batchSize}`.execute(tx),
  );
  return rows;
}

/** Reads the stored keys again for each missing key. It ends because each read finds the key or marks it as missing. */
async function withLoadedKeys<T>(ring: Pick<KeyRing, 'refresh'>, open: () => T): Promise<T> {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof KeyNotLoaded)) throw error;
    await ring.refresh();
    return withLoadedKeys(ring, open);
  }
}

export interface Rewrapped {
  readonly rewrapped: number;
  /** Secrets that no key opens; they are left unchanged. */
  readonly unreadable: number;
}

/**
 * Wraps the data keys of all rows with the key in use, in batches, so that the older keys can be retired. After an interruption it
 * continues where it stopped. A row that changed meanwhile is already sealed under the key in use.
 */
export async function rewrapRows(
  ledger: Ledger,
  columns: readonly SealedColumn[],
  ring: Pick<KeyRing, 'envelope' | 'inUse' | 'refresh'>,
  progress: (table: string, done: number) => void = () => {},
): Promise<Rewrapped> {
  const vault = ring.envelope();
  let [rewrapped, unreadable] = [0, 0];
  for (const at of columns) {
    const [owner, row] = at.key.map((column) => sql.ref(column));
    let done = 0;
    for (let last: SealedRow | undefined; ; ) {
      const rows: SealedRow[] = await readOlder(ledger, at, ring.inUse('envelope'), last);
      last = rows.at(-1);
      if (!last) break;
      const changed = await withLoadedKeys(ring, () =>
        rows.flatMap((one) => {
          const fresh = tryOpen(() => vault.rewrap(one.sealed, at.place(one.owner, one.row)));
          return fresh ? [{ ...one, fresh }] : [];
        }),
      );
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

/** Counts by table the rows that are sealed under other keys than these, without tables that have none. */
async function countOlder(
  tx: Tx,
  columns: readonly SealedColumn[],
  inUse: readonly string[],
): Promise<[table: string, rows: number][]> {
  const counts: [string, number][] = [];
  for (const { table, column } of columns) {
    const { rows } = await sql<{ n: string }>`
      SELECT count(*) AS n FROM ${sql.table(table)}
      WHERE ${sql.ref(column)} IS NOT NULL AND ${keyOf(column)} <> ALL (${inUse})`.execute(tx);
    counts.push([table, Number(rows[0]?.n ?? 0)]);
  }
  return counts.filter(([, rows]) => rows > 0);
}

/** Explains to the operator why the older envelope keys are still needed; undefined if they are not. */
export async function describeKeysInUse(
  tx: Tx,
  columns: readonly SealedColumn[],
  now: Date,
): Promise<string | undefined> {
  const keys = await liveKeys(tx, 'envelope');
  const current = indexOfCurrent(keys, now);
  const inUse = keys.slice(0, current + 1).map(({ id }) => id);
  const counts = await countOlder(tx, columns, inUse);
  if (counts.length === 0) return undefined;
  const total = counts.reduce((sum, [, rows]) => sum + rows, 0);
  const tables = counts.map(([table, rows]) => `${table} ${rows}`).join(', ');
  return `${total} rows are encrypted with an older key (${tables}) and would become unreadable. Run "tributary keys rewrap-rows" first.`;
}
