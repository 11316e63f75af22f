import type { Postgres, Tx } from '@tributary/postgres';
import { sql } from 'kysely';

export interface SetAside {
  readonly queue: string;
  readonly key: string;
  readonly item: string;
  readonly reason: string;
  readonly setAsideAt: Date;
  readonly isWanted: boolean;
}

export async function parkItem(tx: Tx, queue: string, key: string, item: string, reason: string): Promise<void> {
  await sql`
    INSERT INTO work_set_aside (queue, key, item, reason) VALUES (${queue}, ${key}, ${item}, ${reason})
    ON CONFLICT (queue, key, item) DO UPDATE SET reason = excluded.reason, set_aside_at = now(), is_wanted = false`.execute(
    tx,
  );
}

/** Removes and returns the parked items that an operator wants to retry. */
export async function claimRetries(tx: Tx, queue: string, key: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ item: string }>`
    DELETE FROM work_set_aside s
    USING (SELECT item FROM work_set_aside WHERE queue = ${queue} AND key = ${key} AND is_wanted ORDER BY item LIMIT ${limit}) w
    WHERE s.queue = ${queue} AND s.key = ${key} AND s.item = w.item
    RETURNING s.item`.execute(tx);
  return rows.map(({ item }) => item);
}

/** Deletes the entries of parked items that were processed after all. */
export async function deleteParked(
  system: Postgres,
  queue: string,
  key: string,
  items: readonly string[],
): Promise<void> {
  await system.unbound.query(sql`
    DELETE FROM work_set_aside WHERE queue = ${queue} AND key = ${key} AND item = ANY (${[...items]}::text[])`);
}

export interface SetAsideFilter {
  readonly queue?: string | undefined;
  readonly key?: string | undefined;
}

const matching = ({ queue, key }: SetAsideFilter) =>
  sql`(${queue ?? null}::text IS NULL OR queue = ${queue ?? null}) AND (${key ?? null}::uuid IS NULL OR key = ${key ?? null})`;

/** Lists parked items page by page. */
export async function* listSetAside(system: Postgres, filter: SetAsideFilter): AsyncIterable<SetAside[]> {
  const pageSize = 500;
  let last: SetAside | undefined;
  while (true) {
    const { rows }: { rows: SetAside[] } = await system.unbound.query(sql<SetAside>`
      SELECT queue, key, item, reason, set_aside_at AS "setAsideAt", is_wanted AS "isWanted" FROM work_set_aside
      WHERE ${matching(filter)} AND (queue, key, item) > (${last?.queue ?? ''}, ${last?.key ?? '00000000-0000-0000-0000-000000000000'}::uuid, ${last?.item ?? ''})
      ORDER BY queue, key, item LIMIT ${pageSize}`);
    if (rows.length > 0) yield rows;
    last = rows.at(-1);
    if (rows.length < pageSize) return;
  }
}

/** Makes the workers retry parked items. Resolves to their number. */
export async function retrySetAside(system: Postgres, filter: SetAsideFilter): Promise<number> {
  return system.unbound.transaction(async (tx) => {
    const { numAffectedRows } = await sql`
      UPDATE work_set_aside SET is_wanted = true WHERE ${matching(filter)}`.execute(tx);
    await sql`
      SELECT announce_work(queue, array_agg(DISTINCT key)) FROM work_set_aside WHERE is_wanted AND ${matching(filter)}
      GROUP BY queue`.execute(tx);
    return Number(numAffectedRows ?? 0);
  });
}

export async function countSetAside(system: Postgres, filter: SetAsideFilter): Promise<number> {
  const { rows } = await system.unbound.query(
    sql<{ n: number }>`SELECT count(*)::int AS n FROM work_set_aside WHERE ${matching(filter)}`,
  );
  return rows[0]?.n ?? 0;
}
