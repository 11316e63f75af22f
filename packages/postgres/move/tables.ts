import type pg from 'pg';
import { deletedWithTenant, profileTables, workspaceTables } from '../tenant-tables.ts';

/** The tenants that move: a workspace and its profiles. */
export interface Tenants {
  readonly workspaceId: string;
  readonly profileIds: readonly string[];
}

/** A table with rows of the moving tenants. */
export interface MovedTable {
  readonly name: string;
  /** All columns except generated ones. */
  readonly columns: readonly string[];
  readonly key: readonly { readonly name: string; readonly type: string }[];
  /** The condition for the tenants' rows, as SQL without parameters because COPY takes none. */
  readonly condition: string;
  /**
   * Copied after writes are blocked. This applies to queues, which workers would process before the rest is there. It also applies to
   * tables whose key does not contain the owner, because a change does not show whose row it is.
   */
  readonly isLast: boolean;
}

/** Every table with rows of these tenants, except their own two tables and the server's own bookkeeping. */
export async function findTables(client: pg.Client, tenants: Tenants): Promise<MovedTable[]> {
  const conditions = new Map<string, Set<string>>();
  const owners = new Map<string, string>();
  const isQueue = new Set<string>();
  const add = (table: string, owner: string, ids: readonly string[], queue = false) => {
    const tableConditions = conditions.get(table) ?? new Set();
    conditions.set(table, tableConditions.add(`${owner} = ANY (${uuids(ids)})`));
    if (!owners.has(table)) owners.set(table, owner);
    if (queue) isQueue.add(table);
  };
  for (const { table, owner, isQueue: queue } of profileTables) add(table, owner, tenants.profileIds, queue);
  for (const { table, owner } of workspaceTables) add(table, owner, [tenants.workspaceId]);
  for (const table of deletedWithTenant) add(table, 'workspace_id', [tenants.workspaceId]);
  add('work_set_aside', 'key', tenants.profileIds, true);
  // A table may have two owner columns; its key contains at least one of them.
  const ownerIn = (table: string, key: readonly string[]) =>
    [owners.get(table), 'workspace_id', 'owner_id'].some((owner) => owner !== undefined && key.includes(owner));
  const tables: MovedTable[] = [];
  for (const [name, tableConditions] of conditions) {
    const { columns, key } = await shapeOf(client, name);
    const keyNames = key.map((column) => column.name);
    const isLast = isQueue.has(name) || name === 'outbox' || !ownerIn(name, keyNames);
    tables.push({ name, columns, key, condition: [...tableConditions].join(' OR '), isLast });
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

/** The ids come from the database's own uuid columns, so they need no escaping. */
export const uuids = (ids: readonly string[]): string => `'{${ids.join()}}'::uuid[]`;
