import type { Readable } from 'node:stream';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/** A consistent view of a profile's rows, for exports too large to be turned into objects. */
export interface Snapshot {
  /** Rows of a statement with a small result. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Rows of a SELECT in PostgreSQL's text format, which ClickHouse reads as TabSeparated. The SELECT takes no parameters. */
  copy(select: string): Readable;
  /** The same view over another connection, for work that runs in parallel. */
  beside<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
}

interface SnapshotSource {
  readonly pool: pg.Pool;
  readonly scope: string;
  readonly limitMs: number;
}

/**
 * Runs `work` in a read-only transaction with the profile's scope, in which all statements see the same data. The time limit is longer than
 * for other statements: PostgreSQL ends a statement or an idle phase that exceeds it, and a timer ends the whole snapshot.
 */
export async function takeSnapshot<T>(
  source: SnapshotSource,
  work: (snapshot: Snapshot) => Promise<T>,
  snapshotName?: string,
): Promise<T> {
  const { pool, scope, limitMs } = source;
  const client = await pool.connect();
  let broken: Error | undefined;
  const timer = setTimeout(() => {
    broken = new Error(`A snapshot was given up after ${limitMs} ms: timeout expired.`);
    client.release(broken);
  }, limitMs);
  try {
    await client.query(
      `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY${snapshotName ? `; SET TRANSACTION SNAPSHOT '${snapshotName}'` : ''}${scope}; SET LOCAL statement_timeout = ${limitMs}; SET LOCAL idle_in_transaction_session_timeout = ${limitMs}`,
    );
    const result = await work({
      query: async (text, values = []) => (await client.query(text, [...values])).rows,
      copy: (select) => client.query(copyTo(`COPY (${select}) TO STDOUT`)),
      beside: async (more) => {
        const { rows } = await client.query('SELECT pg_export_snapshot() AS name');
        return takeSnapshot(source, more, rows[0].name);
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
    // An unfinished COPY leaves the connection in copy mode.
    client.release(error as Error);
    throw error;
  }
}
