import { setTimeout as sleep } from 'node:timers/promises';
import { nilUuid } from '@tributary/vocabulary';
import type { ClickHouse } from './client.ts';
import { connectEveryNode } from './nodes.ts';
import { raw } from './queries.ts';
import type { ClickHouseSettings } from './settings.ts';
import type { VisitRow } from './tables.ts';

/**
 * A visit whose person was erased. What is not named here stays: when it was, through which channel and ad, in which country, and what
 * kind of visit it was. Touches stay whole: they hold nothing else.
 */
export const clearedVisit = {
  session_id: nilUuid,
  event_name: '',
  source: 'unknown',
  medium: '',
  click_id_kind: '',
  utm_source: '',
  utm_medium: '',
  utm_campaign: '',
  utm_term: '',
  utm_content: '',
  utm_id: '',
  url: '',
  path: '',
  referrer: '',
  referrer_host: '',
  device: 'unknown',
  browser: '',
  os: '',
  city: '',
} as const satisfies Partial<VisitRow>;

export interface PeopleToClear {
  readonly profileIds: readonly string[];
  readonly visitorIds: readonly string[];
  /** Ids of people, and in the same order the id that each of them stands under from now on. */
  readonly personIds: readonly string[];
  readonly shellIds: readonly string[];
}

/** Rows by table. */
export type ClearedRows = Readonly<Record<string, number>>;

const cleared = Object.entries(clearedVisit).map(([column, value]) => `${column} = '${value}'`);
const ofVisitors = 'profile_id IN {profile_ids:Array(UUID)} AND visitor_id IN {visitor_ids:Array(UUID)}';
const ofPeople = 'profile_id IN {profile_ids:Array(UUID)} AND person_id IN {person_ids:Array(UUID)}';
const renamed = 'person_id = {shell_ids:Array(UUID)}[indexOf({person_ids:Array(UUID)}, person_id)]';

/** One change for each table that knows people. What batches left behind goes as a whole; nobody finishes a batch of before. */
const changes: readonly { readonly table: string; readonly action: string; readonly where: string }[] = [
  { table: 'visits', action: `UPDATE ${cleared.join(', ')}`, where: ofVisitors },
  { table: 'attributed_conversions', action: `UPDATE ${renamed}`, where: ofPeople },
  { table: 'attribution_history', action: `UPDATE ${renamed}`, where: ofPeople },
  { table: 'attribution_results', action: 'DELETE', where: ofPeople },
  { table: 'attribution_conversions', action: 'DELETE', where: ofPeople },
  { table: 'attribution_links', action: 'DELETE', where: ofPeople },
  { table: 'attribution_touches', action: 'DELETE', where: ofPeople },
];

/**
 * Clears people from every node, with one mutation a table however many people they are, and resolves when all mutations are
 * through. Safe to run again.
 */
export async function clearPeople(
  settings: ClickHouseSettings,
  people: PeopleToClear,
  signal: AbortSignal,
): Promise<ClearedRows> {
  const parameters = {
    profile_ids: [...people.profileIds],
    visitor_ids: [...people.visitorIds],
    person_ids: [...people.personIds],
    shell_ids: [...people.shellIds],
  };
  const nodes = connectEveryNode(settings);
  const rows: Record<string, number> = {};
  try {
    for (const node of nodes) {
      for (const { table, action, where } of changes) {
        const asked = raw<{ n: string }>(`SELECT count() AS n FROM {{local ${table}}} WHERE ${where}`);
        const count = Number((await node.query(asked, parameters, { signal }))[0]?.n ?? 0);
        if (count === 0) continue;
        rows[table] = (rows[table] ?? 0) + count;
        await node.command(raw(`ALTER TABLE {{local ${table}}} ${action} WHERE ${where}`), parameters, { signal });
      }
    }
    for (const node of nodes) await mutationsDone(node, signal);
    return rows;
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
  }
}

/** Asked again and again: a large table takes longer than a request may. */
async function mutationsDone(node: ClickHouse, signal: AbortSignal): Promise<void> {
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 2_000)) {
    const [pending] = await node.query('mutation_read_pending', {}, { signal });
    if (!pending || pending.pending === '0') return;
    if (pending.failure !== '') throw new Error(`A mutation of ClickHouse fails: ${pending.failure}`);
    await sleep(pauseMs, undefined, { signal });
  }
}
