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

/** The statements of `work` see the same state of the data, behind the profile's wall; nothing can be written. */
export async function takeSnapshot<T>(
  pool: pg.Pool,
  wall: string,
  work: (snapshot: Snapshot) => Promise<T>,
  sameAs?: string,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(
      `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY${sameAs ? `; SET TRANSACTION SNAPSHOT '${sameAs}'` : ''}${wall}; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`,
    );
    const result = await work({
      query: async (text, values = []) => (await client.query(text, [...values])).rows,
      copy: (select) => client.query(copyTo(`COPY (${select}) TO STDOUT`)),
      beside: async (more) => {
        const { rows } = await client.query('SELECT pg_export_snapshot() AS name');
        return takeSnapshot(pool, wall, more, rows[0].name);
      },
    });
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // A copy that was left half-way leaves the connection in the middle of it.
    broken = error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}
