import type { Postgres } from '@tributary/postgres';
import { sql } from 'kysely';
import type { QueueKind } from './queues.ts';

/** Counts stop here: no alert needs more, and counting millions of rows at every scrape would be costly. */
export const countedTo = 100_000;

const keyOf = ({ key = 'profile_id' }: QueueKind) => sql.ref(key);
const rowsOf = ({ where = 'true' }: QueueKind) => sql.raw(where);

/** The number of waiting items in the tables of a queue. */
export async function countWaiting(system: Postgres, kind: QueueKind): Promise<number> {
  let total = 0;
  for (const table of kind.tables) {
    const { rows } = await system.unbound.query(sql<{ n: number }>`
      SELECT count(*)::int AS n FROM (SELECT FROM ${sql.table(table)} WHERE ${rowsOf(kind)} LIMIT ${countedTo}) w`);
    total += rows[0]?.n ?? 0;
  }
  return total;
}

/**
 * The keys with waiting items, page by page. It jumps from key to key by the index, so a key with a million rows costs no more than one
 * with a single row.
 */
export async function* keysWaiting(system: Postgres, kind: QueueKind, pageSize = 500): AsyncIterable<string[]> {
  for (const table of kind.tables) {
    for (let last = '00000000-0000-0000-0000-000000000000'; ; ) {
      const next = (after: ReturnType<typeof sql>) =>
        sql`SELECT ${keyOf(kind)} FROM ${sql.table(table)} WHERE ${rowsOf(kind)} AND ${keyOf(kind)} > ${after} ORDER BY ${keyOf(kind)} LIMIT 1`;
      const { rows } = await system.unbound.query(sql<{ key: string }>`
        WITH RECURSIVE keys (key) AS (
          (${next(sql`${last}::uuid`)}) UNION ALL SELECT (${next(sql`keys.key`)}) FROM keys WHERE keys.key IS NOT NULL)
        SELECT key FROM keys WHERE key IS NOT NULL LIMIT ${pageSize}`);
      const keys = rows.map(({ key }) => key);
      if (keys.length > 0) yield keys;
      if (keys.length < pageSize) break;
      last = keys.at(-1) ?? last;
    }
  }
  for (let last = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { rows } = await system.unbound.query(sql<{ key: string }>`
      SELECT DISTINCT key FROM work_set_aside WHERE queue = ${kind.name} AND is_wanted AND key > ${last} ORDER BY key LIMIT ${pageSize}`);
    const keys = rows.map(({ key }) => key);
    if (keys.length > 0) yield keys;
    if (keys.length < pageSize) return;
    last = keys.at(-1) ?? last;
  }
}
