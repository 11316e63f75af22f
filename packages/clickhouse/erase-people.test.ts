import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { erasePeople, type PersonTables } from './erase-people.ts';
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

test('clears the listed columns in every copy of a row, and leaves other columns and other visitors unchanged', async () => {
  const mine = visit();
  const theirs = visit({ profile_id: mine.profile_id });
  // Written twice, as after a redelivery: FINAL hides one copy until parts merge.
  await scratch.client.insert('visits', [mine, theirs]);
  await scratch.client.insert('visits', [mine]);
  const people = { profileIds: [mine.profile_id], visitorIds: [mine.visitor_id], personIds: [], shellIds: [] };
  expect(await erasePeople(scratch.settings, tables, people, signal)).toEqual({ visits: 2 });
  await erasePeople(scratch.settings, tables, people, signal);
  const rows = (await rowsOf('visits', mine.profile_id)) as unknown as VisitRow[];
  const [first, second] = rows.filter(({ visitor_id }) => visitor_id === mine.visitor_id);
  expect(first).toEqual({ ...second, ...columns });
  const { url: _url, city: _city, device: _device, ...kept } = mine;
  expect(first).toMatchObject(kept);
  expect(rows.find(({ visitor_id }) => visitor_id === theirs.visitor_id)).toMatchObject({ url: theirs.url });
});

test("replaces the person id in results and history, and deletes the person's staged rows", async () => {
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
  await erasePeople(scratch.settings, tables, people, signal);
  const left = async (table: string) =>
    (await rowsOf(table, profileId)).map((row) => (row as { person_id: string }).person_id).sort();
  expect(await left('attributed_conversions')).toEqual([shell, other].sort());
  expect(await left('attribution_history')).toEqual([shell, other].sort());
  for (const table of ofPeople.slice(2)) expect(await left(table), table).toEqual([other]);
});

const urlOnly: PersonTables = { visits: { id: 'visitor_id', erasure: 'cleared', columns: { url: '' }, words: '' } };

test('resolves when ClickHouse has finished the mutation, not when it has accepted it', async () => {
  const mine = visit();
  await scratch.client.insert('visits', [mine]);
  const people = { profileIds: [mine.profile_id], visitorIds: [mine.visitor_id], personIds: [], shellIds: [] };
  const isPending = async () => {
    const pending = raw<{ n: string }>(
      "SELECT count() AS n FROM system.mutations WHERE database = currentDatabase() AND table = 'visits' AND NOT is_done",
    );
    return (await scratch.client.query(pending, {}))[0]?.n === '1';
  };
  // Stops mutations as well.
  await scratch.client.command(raw('SYSTEM STOP MERGES visits'), {});
  const clearing = erasePeople(scratch.settings, urlOnly, people, signal);
  try {
    await expect.poll(isPending).toBe(true);
    // A call that did not wait would have resolved long before 20 more responses of the same server.
    const stillWaits = async () => {
      for (let answers = 0; answers < 20; answers += 1) expect(await isPending()).toBe(true);
      return 'waits';
    };
    expect(await Promise.race([clearing, stillWaits()])).toBe('waits');
  } finally {
    await scratch.client.command(raw('SYSTEM START MERGES visits'), {});
  }
  expect(await clearing).toEqual({ visits: 1 });
  expect(await rowsOf('visits', mine.profile_id)).toMatchObject([{ url: '' }]);
});

test('reports why a mutation fails and cancels it, so that later mutations are not blocked', async () => {
  const [profileId, visitorId] = [randomUUID(), randomUUID()];
  await scratch.client.command(
    raw(`CREATE TABLE fragile (profile_id UUID, visitor_id UUID, url String, city String, must UInt8 MATERIALIZED throwIf(url = 'gone', 'never gone'))
      ENGINE = MergeTree ORDER BY profile_id`),
    {},
  );
  await scratch.client.command(
    raw(
      "INSERT INTO fragile (profile_id, visitor_id, url, city) VALUES ({profileId:UUID}, {visitorId:UUID}, '/', 'Lota')",
    ),
    { profileId, visitorId },
  );
  const people = { profileIds: [profileId], visitorIds: [visitorId], personIds: [], shellIds: [] };
  const clear = (column: string) =>
    erasePeople(
      scratch.settings,
      { fragile: { id: 'visitor_id', erasure: 'cleared', columns: { [column]: 'gone' }, words: '' } },
      people,
      signal,
    );
  await expect(clear('url')).rejects.toThrow(/A mutation of ClickHouse fails: .*never gone/s);
  expect(await clear('city')).toEqual({ fragile: 1 });
  expect(await rowsOf('fragile', profileId)).toMatchObject([{ url: '/', city: 'gone' }]);
});
