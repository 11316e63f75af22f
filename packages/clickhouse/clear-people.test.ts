import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clearPeople, type PersonTables } from './clear-people.ts';
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
const renamed = { id: 'person_id', erasure: 'renamed', words: '' } as const;
const deleted = { id: 'person_id', erasure: 'deleted', words: '' } as const;
const columns = { url: '', city: '', device: 'unknown' };
const tables: PersonTables = {
  visits: { id: 'visitor_id', erasure: 'cleared', columns, words: '' },
  touches: { id: 'visitor_id', erasure: 'kept', words: '' },
  attributed_conversions: renamed,
  attribution_history: renamed,
  attribution_results: deleted,
  attribution_conversions: deleted,
  attribution_links: deleted,
  attribution_touches: deleted,
};

test('what is said to be cleared is, in every copy of a row; the rest of it and those of others stay', async () => {
  const mine = visit();
  const theirs = visit({ profile_id: mine.profile_id });
  // Written twice, as after a redelivery: one copy hides behind the other until parts merge.
  await scratch.client.insert('visits', [mine, theirs]);
  await scratch.client.insert('visits', [mine]);
  const people = { profileIds: [mine.profile_id], visitorIds: [mine.visitor_id], personIds: [], shellIds: [] };
  expect(await clearPeople(scratch.settings, tables, people, signal)).toEqual({ visits: 2 });
  await clearPeople(scratch.settings, tables, people, signal);
  const rows = (await rowsOf('visits', mine.profile_id)) as unknown as VisitRow[];
  const [first, second] = rows.filter(({ visitor_id }) => visitor_id === mine.visitor_id);
  expect(first).toEqual({ ...second, ...columns });
  const { url: _url, city: _city, device: _device, ...kept } = mine;
  expect(first).toMatchObject(kept);
  expect(rows.find(({ visitor_id }) => visitor_id === theirs.visitor_id)).toMatchObject({ url: theirs.url });
});

test('a person’s id becomes another in results and their history, and goes from what batches left', async () => {
  const [profileId, person, other, shell] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const insert = async (table: string, personId: string) =>
    scratch.client.command(
      raw(`INSERT INTO ${table} (profile_id, person_id) VALUES ({profileId:UUID}, {personId:UUID})`),
      { profileId, personId },
    );
  const ofPeople = Object.keys(tables).slice(2);
  for (const table of ofPeople) for (const one of [person, other]) await insert(table, one);
  const people = {
    profileIds: [profileId],
    visitorIds: [],
    personIds: [randomUUID(), person],
    shellIds: [randomUUID(), shell],
  };
  await clearPeople(scratch.settings, tables, people, signal);
  const left = async (table: string) =>
    (await rowsOf(table, profileId)).map((row) => (row as { person_id: string }).person_id).sort();
  expect(await left('attributed_conversions')).toEqual([shell, other].sort());
  expect(await left('attribution_history')).toEqual([shell, other].sort());
  for (const table of ofPeople.slice(2)) expect(await left(table), table).toEqual([other]);
});
