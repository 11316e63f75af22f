import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouse } from './client.ts';
import { connectEveryNode } from './nodes.ts';
import { raw } from './queries.ts';
import type { ClickHouseSettings } from './settings.ts';

/** How an erasure treats the rows of one ClickHouse table, and by which id it finds them. */
export type PersonTable = { readonly words: string } & (
  | { readonly id: 'person_id'; readonly erasure: 'renamed' | 'deleted' }
  | {
      readonly id: 'visitor_id';
      readonly erasure: 'cleared';
      /** Column values after the erasure. */
      readonly columns: Readonly<Record<string, string>>;
    }
  // The rows contain nothing that leads to the customer's identity.
  | { readonly id: 'visitor_id'; readonly erasure: 'kept' }
);

export type PersonTables = Readonly<Record<string, PersonTable>>;

export interface PeopleToClear {
  readonly profileIds: readonly string[];
  readonly visitorIds: readonly string[];
  /** Person ids, and in the same order the ids that replace them. */
  readonly personIds: readonly string[];
  readonly shellIds: readonly string[];
}

/** Number of affected rows by table. */
export type ClearedRows = Readonly<Record<string, number>>;

const renamed = 'person_id = {shell_ids:Array(UUID)}[indexOf({person_ids:Array(UUID)}, person_id)]';
const conditions = {
  visitor_id: 'profile_id IN {profile_ids:Array(UUID)} AND visitor_id IN {visitor_ids:Array(UUID)}',
  person_id: 'profile_id IN {profile_ids:Array(UUID)} AND person_id IN {person_ids:Array(UUID)}',
} as const;

const killMutations = 'KILL MUTATION WHERE database = currentDatabase() AND position(command, {mark:String}) > 0';

function mutationFor(personTable: PersonTable): string | undefined {
  switch (personTable.erasure) {
    case 'cleared':
      return `UPDATE ${Object.entries(personTable.columns)
        .map(([column, value]) => `${column} = '${value}'`)
        .join(', ')}`;
    case 'renamed':
      return `UPDATE ${renamed}`;
    case 'deleted':
      return 'DELETE';
    case 'kept':
      return undefined;
  }
}

/**
 * Erases people on every node, table by table in the given order, with one mutation per table and node. Resolves when
 * these mutations are finished, independent of other mutations. Safe to run again.
 */
export async function erasePeople(
  settings: ClickHouseSettings,
  tables: PersonTables,
  people: PeopleToClear,
  signal: AbortSignal,
): Promise<ClearedRows> {
  const parameters = {
    profile_ids: [...people.profileIds],
    visitor_ids: [...people.visitorIds],
    person_ids: [...people.personIds],
    shell_ids: [...people.shellIds],
  };
  // Written into the mutations, so that ours can be recognised.
  const mark = randomUUID();
  const nodes = connectEveryNode(settings);
  const rows: Record<string, number> = {};
  try {
    for (const node of nodes) {
      for (const [table, personTable] of Object.entries(tables)) {
        const change = mutationFor(personTable);
        if (!change) continue;
        const where = conditions[personTable.id];
        const countQuery = raw<{ n: string }>(`SELECT count() AS n FROM {{local ${table}}} WHERE ${where}`);
        const count = Number((await node.query(countQuery, parameters, { signal }))[0]?.n ?? 0);
        if (count === 0) continue;
        rows[table] = (rows[table] ?? 0) + count;
        // Some ClickHouse versions answer only when the mutation is finished, and a large table takes longer than a
        // request may.
        const statement = `ALTER TABLE {{local ${table}}} ${change} WHERE ${where} AND '${mark}' != '' SETTINGS mutations_sync = 0`;
        await node.command(raw(statement), parameters, { signal });
      }
    }
    for (const node of nodes) await mutationsDone(node, mark, signal);
    return rows;
  } catch (error) {
    // Cancel a failing mutation: it would block every later mutation on the same table.
    if (!signal.aborted)
      await Promise.allSettled(nodes.map((node) => node.command(raw(killMutations), { mark }, { signal })));
    throw error;
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
  }
}

/** Polls until all marked mutations are finished. */
async function mutationsDone(node: ClickHouse, mark: string, signal: AbortSignal): Promise<void> {
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 2_000)) {
    const [pending] = await node.query('mutation_read_pending', { mark }, { signal });
    if (!pending || pending.pending === '0') return;
    if (pending.failure !== '') throw new Error(`A mutation of ClickHouse fails: ${pending.failure}`);
    await sleep(pauseMs, undefined, { signal });
  }
}
