import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouse } from './client.ts';
import { connectEveryNode } from './nodes.ts';
import { raw } from './queries.ts';
import type { ClickHouseSettings } from './settings.ts';

/** What a table of ClickHouse holds of people: by which id, and what an erasure does with their rows. */
export type PersonTable = { readonly words: string } & (
  | { readonly id: 'person_id'; readonly erasure: 'renamed' | 'deleted' }
  | {
      readonly id: 'visitor_id';
      readonly erasure: 'cleared';
      /** What stands in these columns afterwards. */
      readonly columns: Readonly<Record<string, string>>;
    }
  // Nothing in it leads further than to the customer without a person.
  | { readonly id: 'visitor_id'; readonly erasure: 'kept' }
);

export type PersonTables = Readonly<Record<string, PersonTable>>;

export interface PeopleToClear {
  readonly profileIds: readonly string[];
  readonly visitorIds: readonly string[];
  /** Ids of people, and in the same order the id that each of them stands under from now on. */
  readonly personIds: readonly string[];
  readonly shellIds: readonly string[];
}

/** Rows by table. */
export type ClearedRows = Readonly<Record<string, number>>;

const renamed = 'person_id = {shell_ids:Array(UUID)}[indexOf({person_ids:Array(UUID)}, person_id)]';
const conditions = {
  visitor_id: 'profile_id IN {profile_ids:Array(UUID)} AND visitor_id IN {visitor_ids:Array(UUID)}',
  person_id: 'profile_id IN {profile_ids:Array(UUID)} AND person_id IN {person_ids:Array(UUID)}',
} as const;

const takeBack = 'KILL MUTATION WHERE database = currentDatabase() AND position(command, {mark:String}) > 0';

function changeOf(held: PersonTable): string | undefined {
  switch (held.erasure) {
    case 'cleared':
      return `UPDATE ${Object.entries(held.columns)
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
 * Clears people from every node, table by table in their order, with one mutation each however many people they are, and resolves when
 * these mutations are through, whatever others wait for. Safe to run again.
 */
export async function clearPeople(
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
  // Written into the mutations, so that they are told from others'.
  const mark = randomUUID();
  const nodes = connectEveryNode(settings);
  const rows: Record<string, number> = {};
  try {
    for (const node of nodes) {
      for (const [table, held] of Object.entries(tables)) {
        const change = changeOf(held);
        if (!change) continue;
        const where = conditions[held.id];
        const asked = raw<{ n: string }>(`SELECT count() AS n FROM {{local ${table}}} WHERE ${where}`);
        const count = Number((await node.query(asked, parameters, { signal }))[0]?.n ?? 0);
        if (count === 0) continue;
        rows[table] = (rows[table] ?? 0) + count;
        // Some versions of the engine would answer when it is through: a large table takes longer than a request may.
        const statement = `ALTER TABLE {{local ${table}}} ${change} WHERE ${where} AND '${mark}' != '' SETTINGS mutations_sync = 0`;
        await node.command(raw(statement), parameters, { signal });
      }
    }
    for (const node of nodes) await mutationsDone(node, mark, signal);
    return rows;
  } catch (error) {
    // One that fails is taken back: nobody's after it on the same table would begin.
    if (!signal.aborted)
      await Promise.allSettled(nodes.map((node) => node.command(raw(takeBack), { mark }, { signal })));
    throw error;
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
  }
}

/** Asked again and again, for as long as it takes. */
async function mutationsDone(node: ClickHouse, mark: string, signal: AbortSignal): Promise<void> {
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 2_000)) {
    const [pending] = await node.query('mutation_read_pending', { mark }, { signal });
    if (!pending || pending.pending === '0') return;
    if (pending.failure !== '') throw new Error(`A mutation of ClickHouse fails: ${pending.failure}`);
    await sleep(pauseMs, undefined, { signal });
  }
}
