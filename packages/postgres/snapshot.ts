import type { Readable } from 'node:stream';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/** One unchanging view of a profile's rows, for what is too much to be made into objects on its way elsewhere. */
export interface Snapshot {
  /** Rows of a statement, few of them. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Rows of a SELECT in PostgreSQL's text format, which ClickHouse reads as TabSeparated. It takes no parameters. */
  copy(select: string): Readable;
  /** The same view over a connection of its own, for what can go on at the same time. */
  beside<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
}

interface Place {
  readonly pool: pg.Pool;
  readonly wall: string;
  readonly limitMs: number;
}

/**
 * The statements of `work` see the same state of the data, behind the profile's wall; nothing can be written. It has more time than
 * other statements, and not all the time in the world: PostgreSQL ends a statement, and a silence between two, that takes as long as
 * the whole may, and we end the whole.
 */
export async function takeSnapshot<T>(
  place: Place,
  work: (snapshot: Snapshot) => Promise<T>,
  sameAs?: string,
): Promise<T> {
  const { pool, wall, limitMs } = place;
  const client = await pool.connect();
  let broken: Error | undefined;
  const timer = setTimeout(() => {
    broken = new Error(`A snapshot was given up after ${limitMs} ms: timeout expired.`);
    client.release(broken);
  }, limitMs);
  try {
    await client.query(
      `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY${sameAs ? `; SET TRANSACTION SNAPSHOT '${sameAs}'` : ''}${wall}; SET LOCAL statement_timeout = ${limitMs}; SET LOCAL idle_in_transaction_session_timeout = ${limitMs}`,
    );
    const result = await work({
      query: async (text, values = []) => (await client.query(text, [...values])).rows,
      copy: (select) => client.query(copyTo(`COPY (${select}) TO STDOUT`)),
      beside: async (more) => {
        const { rows } = await client.query('SELECT pg_export_snapshot() AS name');
        return takeSnapshot(place, more, rows[0].name);
      },
    });
    if (broken) throw broken;
    await client.query('COMMIT');
    clearTimeout(timer);
    client.release();
    return result;
  } catch (error) {
    clearTimeout(timer);
    if (broken) throw broken;
    // A copy that was left half-way leaves the connection in the middle of it.
    client.release(error as Error);
    throw error;
  }
}
