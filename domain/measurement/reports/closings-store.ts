import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';

export interface Closing {
  /** YYYY-MM. */
  readonly month: string;
  readonly markAt: Date;
  readonly closedAt: Date;
  readonly byKind: string;
  readonly byId: string | null;
}

const columns = sql.raw(
  `to_char(month, 'YYYY-MM') AS month, mark_at AS "markAt", closed_at AS "closedAt", closed_by_kind AS "byKind", closed_by_id AS "byId"`,
);
const dayOf = (month: string): string => `${month}-01`;

/** Returns false if the month is already closed; the stored closing is not changed. */
export async function insertClosing(tx: Tx, profileId: string, closing: Closing): Promise<boolean> {
  const { numAffectedRows } = await sql`
    INSERT INTO closings (profile_id, month, mark_at, closed_at, closed_by_kind, closed_by_id)
    VALUES (${profileId}, ${dayOf(closing.month)}, ${closing.markAt}, ${closing.closedAt}, ${closing.byKind}, ${closing.byId})
    ON CONFLICT DO NOTHING`.execute(tx);
  return numAffectedRows === 1n;
}

export async function findClosing(tx: Tx, profileId: string, month: string): Promise<Closing | undefined> {
  const { rows } = await sql<Closing>`
    SELECT ${columns} FROM closings WHERE profile_id = ${profileId} AND month = ${dayOf(month)}`.execute(tx);
  return rows[0];
}

/** Newest months first. */
export async function listMonths(
  tx: Tx,
  profileId: string,
  before: string | undefined,
  limit: number,
): Promise<Closing[]> {
  const { rows } = await sql<Closing>`
    SELECT ${columns} FROM closings
    WHERE profile_id = ${profileId} ${before === undefined ? sql`` : sql`AND month < ${dayOf(before)}`}
    ORDER BY closings.month DESC LIMIT ${limit}`.execute(tx);
  return rows;
}
