import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clearedVisit, clearPeople } from './clear-people.ts';
import { raw } from './queries.ts';
import { createScratch, type Scratch } from './scratch.ts';
import type { VisitRow } from './tables.ts';
import { visit } from './visit.fixture.ts';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await createScratch();
});
afterAll(() => scratch.drop());

const signal = AbortSignal.timeout(60_000);
const rowsOf = (table: string, profileId: string) =>
  scratch.client.query(raw(`SELECT * FROM ${table} WHERE profile_id = {profileId:UUID}`), { profileId });
const kept = [
  'profile_id',
  'visitor_id',
  'visit_id',
  'occurred_at',
  'received_at',
  'channel',
  'platform',
  'country',
] as const;

test('of a visit stay time, channel, ad, country and kind, in every copy of it; those of others stay whole', async () => {
  const mine = visit();
  const theirs = visit({ profile_id: mine.profile_id });
  // Written twice, as after a redelivery: one copy hides behind the other until parts merge.
  await scratch.client.insert('visits', [mine, theirs]);
  await scratch.client.insert('visits', [mine]);
  const people = { profileIds: [mine.profile_id], visitorIds: [mine.visitor_id], personIds: [], shellIds: [] };
  expect(await clearPeople(scratch.settings, people, signal)).toEqual({ visits: 2 });
  await clearPeople(scratch.settings, people, signal);
  const rows = (await rowsOf('visits', mine.profile_id)) as unknown as VisitRow[];
  const [first, second] = rows.filter(({ visitor_id }) => visitor_id === mine.visitor_id);
  expect(first).toMatchObject(clearedVisit);
  expect(second).toEqual(first);
  for (const column of kept) expect(first?.[column], column).toEqual(mine[column]);
  for (const column of ['is_bot', 'event_type', 'is_session_start', 'campaign_external_id', 'ad_external_id'] as const)
    expect(first?.[column], column).toEqual(mine[column]);
  expect(rows.find(({ visitor_id }) => visitor_id === theirs.visitor_id)).toMatchObject({ url: theirs.url });
  // Every column is either kept or cleared, and none forgotten.
  const known = new Set([...kept, ...Object.keys(clearedVisit), 'is_bot', 'event_type', 'is_session_start']);
  const ids = ['campaign_external_id', 'ad_set_external_id', 'ad_external_id'];
  expect(Object.keys(first ?? {}).filter((column) => !known.has(column))).toEqual(ids);
});

test('a person’s id becomes another in results and their history, and goes from what batches left', async () => {
  const [profileId, person, other, shell] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const insert = async (table: string, personId: string) =>
    scratch.client.command(
      raw(`INSERT INTO ${table} (profile_id, person_id) VALUES ({profileId:UUID}, {personId:UUID})`),
      { profileId, personId },
    );
  const tables = [
    'attributed_conversions',
    'attribution_history',
    'attribution_results',
    'attribution_conversions',
    'attribution_links',
    'attribution_touches',
  ];
  for (const table of tables) for (const one of [person, other]) await insert(table, one);
  const people = {
    profileIds: [profileId],
    visitorIds: [],
    personIds: [randomUUID(), person],
    shellIds: [randomUUID(), shell],
  };
  await clearPeople(scratch.settings, people, signal);
  const left = async (table: string) =>
    (await rowsOf(table, profileId)).map((row) => (row as { person_id: string }).person_id).sort();
  expect(await left('attributed_conversions')).toEqual([shell, other].sort());
  expect(await left('attribution_history')).toEqual([shell, other].sort());
  for (const table of tables.slice(2)) expect(await left(table), table).toEqual([other]);
});
