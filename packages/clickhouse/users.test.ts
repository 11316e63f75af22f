import { Supervisor } from '@tributary/engines';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClickHouse, createClickHouse } from './client.ts';
import { deleteProfileRows } from './delete-profile-rows.ts';
import { dropOldVisits } from './drop-old-visits.ts';
import { erasePeople } from './erase-people.ts';
import { migrate } from './migrate.ts';
import { raw } from './queries.ts';
import type { ClickHouseSettings } from './settings.ts';
import { visit } from './visit.fixture.ts';

/** A server of its own, because users are configured when it starts. */
const supervisor = new Supervisor(`users-${process.pid}`);
let settings: ClickHouseSettings;
let reader: ClickHouse;
let writer: ClickHouse;
let owner: ClickHouse;
beforeAll(async () => {
  const { CLICKHOUSE_URL } = await supervisor.start(['clickhouse']);
  const { origin, username, password } = new URL(CLICKHOUSE_URL as string);
  settings = { url: origin, database: 'users', username, password };
  await migrate(settings);
  const as = (who: string) => createClickHouse({ ...settings, username: `tributary_${who}` });
  [owner, reader, writer] = [createClickHouse(settings), as('reader'), as('writer')];
});
afterAll(async () => {
  await Promise.all([owner, reader, writer].map((client) => client?.close()));
  await supervisor.destroy();
});

const denied = /Not enough privileges/;
const tables = async () => (await owner.query('table_list', {})).map(({ name }) => name);
const count = async (client: ClickHouse) =>
  Number((await client.query(raw<{ n: string }>('SELECT count() AS n FROM visits FINAL'), {}))[0]?.n);

describe('the reader user of the API', () => {
  test('reads every table and the state of a profile', async () => {
    for (const table of await tables())
      await expect(reader.query(raw(`SELECT count() FROM ${table}`), {}), table).resolves.toHaveLength(1);
    await reader.query('profile_read_state', { profile_id: visit().profile_id });
    await reader.ping();
  });

  test.each([
    ['write', (client: ClickHouse) => client.insert('visits', [visit()])],
    ['change rows', (client: ClickHouse) => client.command(raw("ALTER TABLE visits UPDATE city = '' WHERE 1"), {})],
    ['delete rows', (client: ClickHouse) => client.command(raw('ALTER TABLE visits DELETE WHERE 1'), {})],
    ['empty a table', (client: ClickHouse) => client.command(raw('TRUNCATE TABLE visits'), {})],
    [
      'read files',
      (client: ClickHouse) => client.query(raw("SELECT * FROM file('/etc/hostname', 'LineAsString')"), {}),
    ],
    ['make users', (client: ClickHouse) => client.command(raw('CREATE USER x'), {})],
  ])('cannot %s', async (_what, act) => {
    await expect(act(reader)).rejects.toThrow(denied);
  });
});

describe('the writer user of the worker', () => {
  test('writes, deletes a profile, erases people and drops old quarters', async () => {
    const own = { ...settings, username: 'tributary_writer' };
    const [old, gone, kept] = [visit({ occurred_at: new Date('2020-01-01T00:00:00Z') }), visit(), visit()];
    await writer.insert('visits', [old, gone, kept]);
    expect(await count(reader)).toBe(3);
    await expect.poll(() => deleteProfileRows(own, gone.profile_id)).toBe(0);
    await dropOldVisits(own, 365, new Date('2026-06-15T00:00:00Z'), new AbortController().signal);
    expect(await count(reader)).toBe(1);
    const people = { profileIds: [kept.profile_id], visitorIds: [kept.visitor_id], personIds: [], shellIds: [] };
    const personTables = {
      visits: { id: 'visitor_id', erasure: 'cleared', columns: { city: '' }, words: 'A test.' },
    } as const;
    await erasePeople(own, personTables, people, new AbortController().signal);
  });

  test.each([
    ['drop a table', 'DROP TABLE touches'],
    ['make a table', 'CREATE TABLE mine (a UInt8) ENGINE = Memory'],
    ['change a table', 'ALTER TABLE visits ADD COLUMN mine UInt8'],
    ['make users', 'CREATE USER x'],
  ])('cannot %s', async (_what, statement) => {
    await expect(writer.command(raw(statement), {})).rejects.toThrow(denied);
  });
});
