import { type ClickHouse, raw } from '@tributary/clickhouse';
import { type Opening, openBadVisits, openDeadLetters } from '@tributary/domain/ingestion';
import type { Postgres } from '@tributary/postgres';
import type { Stream } from '@tributary/stream';
import { browserVisit } from '@tributary/testkit';
import { uuidPattern } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v4 as randomId, v7 as uuid } from 'uuid';

/** Somebody who will be erased. Whatever is said of them holds a word that stands nowhere else. */
export interface Person {
  readonly word: string;
  readonly traits: Readonly<Record<string, string>>;
  /** Known from the start, and one that says who it is only while it is on its way. */
  readonly browsers: readonly [string, string];
  readonly amount: string;
  readonly paidAt: Date;
}

export function makePerson(index: number, start: Date): Person {
  const word = `canary${String(index).padStart(6, '0')}`;
  return {
    word,
    traits: {
      external_id: `key-${word}`,
      email: `${word}@mail.example`,
      phone: `+569${String(70_000_000 + index)}`,
      first_name: word,
      last_name: word,
    },
    browsers: [uuid(), uuid()],
    amount: `${10 + (index % 90)}.${String(index % 100).padStart(2, '0')}`,
    // A millisecond each, so that conversions of two profiles can be held against each other.
    paidAt: new Date(start.getTime() + index),
  };
}

export type Visit = Record<string, unknown>;

const sources = [
  'utm_source=google&utm_medium=cpc',
  'utm_source=facebook&utm_medium=paid_social',
  'utm_source=newsletter&utm_medium=email',
];
const page = (word: string, place: number) =>
  `https://shop.example/${word}/${place}?${sources[place % sources.length]}&utm_campaign=${word}`;

/** What the first browser does before anybody is erased. */
export const earlyVisits = ({ word, traits }: Person, at: Date): Visit[] => [
  browserVisit(at, { url: page(word, 0), referrer: `https://news.example/${word}` }),
  browserVisit(at, { url: page(word, 1), type: 'track', name: 'lead_created', properties: { note: word } }),
  browserVisit(at, { url: page(word, 2), type: 'identify', traits: { email: traits.email as string } }),
  // Two that cannot be understood: by its browser, and by whom it names.
  browserVisit(at, { url: page(word, 0), session_id: word }),
];

/** What both browsers do shortly before, and what is in the log when the person is erased. */
export const lateVisits = ({ word, traits }: Person, at: Date): [Visit[], Visit[]] => [
  [browserVisit(at, { url: page(word, 1) }), browserVisit(at, { url: page(word, 2), session_id: word })],
  [
    browserVisit(at, { url: page(word, 0) }),
    browserVisit(at, { url: page(word, 1), type: 'identify', traits: { phone: traits.phone as string } }),
    browserVisit(at, { type: 'identify', traits: { email: traits.email as string }, session_id: word }),
  ],
];

export const bystander = (at: Date): { client: string; visits: Visit[] } => ({
  client: uuid(),
  visits: [
    browserVisit(at),
    browserVisit(at, { type: 'identify', traits: { email: `${randomId()}@bystander.example` } }),
  ],
});

export interface Searched {
  readonly postgres: Postgres;
  readonly clickhouse: ClickHouse;
  readonly stream: Pick<Stream, 'deadLetters'>;
  readonly opening: Opening;
}

/** In how many rows of each store a canary stands, or the id of a customer who was one. */
export async function findCanaries(
  { postgres, clickhouse, stream, opening }: Searched,
  profileId: string,
  customerIds: ReadonlySet<string>,
): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  const look = (store: string, text: string) => {
    const isTheirs = text.includes('canary') || (text.match(uuids) ?? []).some((id) => customerIds.has(id));
    if (isTheirs) found[store] = (found[store] ?? 0) + 1;
  };
  const inLedger = <Row>(statement: ReturnType<typeof sql<Row>>) =>
    postgres.forProfile(profileId).transaction(async (tx) => (await statement.execute(tx)).rows);
  const tables = await inLedger(sql<{ name: string; owner: string }>`
    SELECT table_name AS name, column_name AS owner FROM information_schema.columns
    JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND column_name IN ('profile_id', 'owner_id')`);
  for (const { name, owner } of tables) {
    const rows = await inLedger(sql<{ text: string }>`
      SELECT t::text AS text FROM ${sql.table(name)} t WHERE ${sql.ref(owner)} = ${profileId}`);
    for (const { text } of rows) look(`postgres ${name}`, text);
  }
  for await (const batch of openBadVisits(opening, profileId))
    for (const { content } of batch) look('bad visits, opened', JSON.stringify(content));
  for await (const { requests } of openDeadLetters(opening, stream))
    for (const { arrival, content } of requests)
      if (arrival.profile_id === profileId) look('dead letters, opened', JSON.stringify(content));
  for (const { name } of await clickhouse.query('profile_table_list', {}))
    for await (const row of clickhouse.stream(raw(`SELECT * FROM ${name} WHERE profile_id = {profileId:UUID}`), {
      profileId,
    }))
      look(`clickhouse ${name}`, JSON.stringify(row));
  return found;
}

const uuids = new RegExp(uuidPattern, 'g');

/** All that a report could count of each conversion: the same of two profiles to which the same was sent. Of equal ones, how many. */
export async function readReport(clickhouse: ClickHouse, profileId: string): Promise<Map<string, number>> {
  const rows = clickhouse.stream(
    raw<{ content: string }>(`
      SELECT toString(tuple(conversion_time, conversion_type, revenue_type, value, has_value, currency, is_first_payment,
        touch_count, country, device, touch_times, last_non_direct, linear, time_decay, position_based,
        arrayMap(id -> dictionary[id], source_ids))) AS content
      FROM attributed_conversions FINAL
      CROSS JOIN (SELECT CAST((groupArray(source_id), groupArray((channel, source, medium, platform))), 'Map(UInt64, Tuple(String, String, String, String))') AS dictionary
        FROM touch_sources FINAL WHERE profile_id = {profileId:UUID}) AS sources
      WHERE profile_id = {profileId:UUID}`),
    { profileId },
  );
  const report = new Map<string, number>();
  for await (const { content } of rows) report.set(content, (report.get(content) ?? 0) + 1);
  return report;
}

export function countDifferences(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  return [...new Set([...one.keys(), ...other.keys()])].filter((key) => one.get(key) !== other.get(key)).length;
}

export const sizeOf = (report: ReadonlyMap<string, number>): number =>
  [...report.values()].reduce((sum, count) => sum + count, 0);
