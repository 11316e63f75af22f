import type pg from 'pg';
import { goWithTheTenant, profileTables, workspaceTables } from '../tenant-tables.ts';

/** Who moves: a workspace and its profiles. */
export interface Tenants {
  readonly workspaceId: string;
  readonly profileIds: readonly string[];
}

/** A table with rows of those who move. */
export interface MovedTable {
  readonly name: string;
  /** All but what the database makes itself. */
  readonly columns: readonly string[];
  readonly key: readonly { readonly name: string; readonly type: string }[];
  /** Which rows, as SQL without parameters: COPY takes none. */
  readonly theirs: string;
  /**
   * Copied when nothing is written any more: what workers would take up before the rest is there, and what a row's key does not say the owner
   * of, so that nobody could tell from a change whose it is.
   */
  readonly isLast: boolean;
}

/** Every table with rows of these tenants but their own two, and a server's own notes. */
export async function findTables(client: pg.Client, tenants: Tenants): Promise<MovedTable[]> {
  const conditions = new Map<string, Set<string>>();
  const owners = new Map<string, string>();
  const isQueue = new Set<string>();
  const add = (table: string, owner: string, ids: readonly string[], queue = false) => {
    const some = conditions.get(table) ?? new Set();
    conditions.set(table, some.add(`${owner} = ANY (${uuids(ids)})`));
    if (!owners.has(table)) owners.set(table, owner);
    if (queue) isQueue.add(table);
  };
  for (const { table, owner, isQueue: queue } of profileTables) add(table, owner, tenants.profileIds, queue);
  for (const { table, owner } of workspaceTables) add(table, owner, [tenants.workspaceId]);
  for (const table of goWithTheTenant) add(table, 'workspace_id', [tenants.workspaceId]);
  add('work_set_aside', 'key', tenants.profileIds, true);
  // Of two columns that say whose a row is, the key has one.
  const ownerIn = (table: string, key: readonly string[]) =>
    [owners.get(table), 'workspace_id', 'owner_id'].some((owner) => owner !== undefined && key.includes(owner));
  const tables: MovedTable[] = [];
  for (const [name, some] of conditions) {
    const { columns, key } = await shapeOf(client, name);
    const keyNames = key.map((column) => column.name);
    const isLast = isQueue.has(name) || name === 'outbox' || !ownerIn(name, keyNames);
    tables.push({ name, columns, key, theirs: [...some].join(' OR '), isLast });
  }
  return tables;
}

export async function shapeOf(client: pg.Client, table: string): Promise<Pick<MovedTable, 'columns' | 'key'>> {
  const { rows: columns } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
    WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
    [table],
  );
  const { rows: key } = await client.query<{ name: string; type: string }>(
    `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type
    FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (number, place)
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
    WHERE i.indrelid = $1::regclass AND i.indisprimary ORDER BY k.place`,
    [table],
  );
  return { columns: columns.map(({ name }) => name), key };
}

/** Ids come from the database's own uuid columns. */
export const uuids = (ids: readonly string[]): string => `'{${ids.join()}}'::uuid[]`;
